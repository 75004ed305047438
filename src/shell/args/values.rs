//! Values of arguments, read from their text.

use std::time::Duration;

/// `name=value`.
pub fn parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| "it takes the form NAME=VALUE".to_string())?;
    let name = name.strip_prefix('$').unwrap_or(name);
    if name.is_empty() {
        return Err("the name before `=` is empty".to_string());
    }
    Ok((name.to_string(), value.to_string()))
}

/// A number with a unit behind it, split.
fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    Some((number.parse().ok()?, unit.trim()))
}

/// `10s`, `500ms`, `2m`, `1h`, `1.5` (seconds).
pub fn duration(text: &str) -> Result<Duration, String> {
    let help = || "it takes the form 10s, 500ms, 2m or 1h".to_string();
    let (number, unit) = number_and_unit(text).ok_or_else(help)?;
    let seconds = match unit {
        "ms" => number / 1000.0,
        "" | "s" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(help()),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| help())
}

/// `512MB`, `2GiB`, `1000000` (bytes).
pub fn size(text: &str) -> Result<u64, String> {
    let help = || "it takes the form 512MB, 2GiB or a number of bytes".to_string();
    let (number, unit) = number_and_unit(text).ok_or_else(help)?;
    let factor: f64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1_048_576.0,
        "gib" => 1_073_741_824.0,
        "tib" => 1_099_511_627_776.0,
        _ => return Err(help()),
    };
    Ok((number * factor) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
        assert!(duration("soon").is_err());
        assert!(duration("1e99s").is_err());
        assert_eq!(size("2GiB"), Ok(2_147_483_648));
        assert!(size("2 stones").is_err());
    }

    #[test]
    fn a_parameter_needs_a_name() {
        assert_eq!(parameter("$who=a=b"), Ok(("who".into(), "a=b".into())));
        assert!(parameter("=x").is_err());
        assert!(parameter("x").is_err());
    }
}
