//! Units of measure: an exact conversion table.

use super::number::{Decimal, NumberInterval};
use std::collections::BTreeMap;

/// Why a unit cannot be defined or a number not be converted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// No unit has this name.
    #[error("there is no unit `{name}`{}", did_you_mean(near))]
    Unknown {
        /// What was asked for.
        name: String,
        /// Similar names.
        near: Vec<String>,
    },
    /// The name has been given another meaning before.
    #[error("unit `{name}` is already {earlier}; it cannot be {now} as well")]
    Conflict {
        /// The unit.
        name: String,
        /// What it was declared as.
        earlier: String,
        /// What it is now said to be.
        now: String,
    },
    /// The unit is measured in itself.
    #[error("unit `{name}` is measured in `{base}`, which is itself measured in `{name}`")]
    Circular {
        /// The unit.
        name: String,
        /// The unit that it is said to be measured in.
        base: String,
    },
    /// The factor is not above zero, or a base unit's is not one.
    #[error("the factor of unit `{name}` is {factor}: it must be above 0, and 1 for a base unit")]
    Factor {
        /// The unit.
        name: String,
        /// Its factor.
        factor: String,
    },
    /// The name is empty.
    #[error("a unit needs a name")]
    EmptyName,
    /// The two units measure different things.
    #[error("`{from}` cannot be converted to `{to}`: they measure different things")]
    Mismatch {
        /// The number's unit.
        from: String,
        /// The unit wanted.
        to: String,
    },
    /// The result is no finite decimal, or too long to be written.
    #[error("{number} {from} has no exact decimal in `{to}`: record it in `{from}`")]
    Inexact {
        /// The number.
        number: String,
        /// Its unit.
        from: String,
        /// The unit wanted.
        to: String,
    },
}

fn did_you_mean(near: &[String]) -> String {
    match near.first() {
        Some(name) => format!("; the nearest is `{name}`"),
        None => ": declare it, as in UNIT km = 1000 m".to_owned(),
    }
}

/// How a unit is measured: so many of its base unit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Measure {
    factor: Decimal,
    base: String,
}

/// An exact conversion table. A unit that is not measured in another one is a
/// base unit; which units there are does not depend on the order of definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Units {
    table: BTreeMap<String, Measure>,
}

impl Units {
    /// No units at all.
    pub fn new() -> Units {
        Units::default()
    }

    /// Says that one `name` is `factor` times `base`. A base that is not known yet
    /// becomes a base unit; `name` as its own base says only that it exists.
    pub fn define(&mut self, name: &str, factor: Decimal, base: &str) -> Result<(), UnitError> {
        if name.is_empty() || base.is_empty() {
            return Err(UnitError::EmptyName);
        }
        if !factor.is_positive() || (name == base && factor != Decimal::one()) {
            return Err(UnitError::Factor {
                name: name.to_owned(),
                factor: factor.to_string(),
            });
        }
        if name == base {
            self.ensure(name);
            return Ok(());
        }
        let root = self.resolved(base);
        let too_long = || UnitError::Inexact {
            number: factor.to_string(),
            from: base.to_owned(),
            to: root.base.clone(),
        };
        if root.base == name {
            return Err(UnitError::Circular {
                name: name.to_owned(),
                base: base.to_owned(),
            });
        }
        let measure = Measure {
            factor: factor.checked_mul(&root.factor).ok_or_else(too_long)?,
            base: root.base.clone(),
        };
        match self.table.get(name) {
            Some(earlier) if *earlier == measure => return Ok(()),
            Some(earlier) if earlier.base != name => {
                return Err(UnitError::Conflict {
                    name: name.to_owned(),
                    earlier: format!("{} {}", earlier.factor, earlier.base),
                    now: format!("{} {}", measure.factor, measure.base),
                });
            }
            _ => {}
        }
        let moved = self.remeasured(name, &measure).ok_or_else(too_long)?;
        self.ensure(&measure.base);
        self.table.extend(moved);
        self.table.insert(name.to_owned(), measure);
        Ok(())
    }

    /// Makes `name` a base unit unless it is known.
    pub fn ensure(&mut self, name: &str) {
        if !self.table.contains_key(name) {
            self.table.insert(name.to_owned(), base_unit(name));
        }
    }

    /// Whether there is a unit of this name.
    pub fn knows(&self, name: &str) -> bool {
        self.table.contains_key(name)
    }

    /// Whether there is no unit.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Whether both are known and measure the same thing.
    pub fn same_quantity(&self, a: &str, b: &str) -> bool {
        match (self.table.get(a), self.table.get(b)) {
            (Some(a), Some(b)) => a.base == b.base,
            _ => false,
        }
    }

    /// The number in the base unit, and that unit. `None` for an unknown unit.
    pub fn to_base(&self, number: &Decimal, unit: &str) -> Option<(Decimal, &str)> {
        let measure = self.table.get(unit)?;
        Some((number.checked_mul(&measure.factor)?, &measure.base))
    }

    /// Every unit as (name, factor, base), by name; a base unit is 1 of itself.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Decimal, &str)> {
        self.table
            .iter()
            .map(|(name, m)| (name.as_str(), &m.factor, m.base.as_str()))
    }

    /// At most five similar names, the most similar first.
    pub fn nearest(&self, word: &str) -> Vec<String> {
        let wanted = word.to_lowercase();
        let mut near: Vec<(usize, &String)> = self
            .table
            .keys()
            .map(|name| {
                (
                    strsim::damerau_levenshtein(&name.to_lowercase(), &wanted),
                    name,
                )
            })
            .filter(|(distance, name)| *distance < name.chars().count().max(2))
            .filter(|(distance, _)| *distance <= 2)
            .collect();
        near.sort();
        near.into_iter()
            .take(5)
            .map(|(_, name)| name.clone())
            .collect()
    }

    /// The interval in another unit of the same quantity, exactly.
    pub fn convert(
        &self,
        number: &NumberInterval,
        from: &str,
        to: &str,
    ) -> Result<NumberInterval, UnitError> {
        let (source, target) = (self.measure(from)?, self.measure(to)?);
        if source.base != target.base {
            return Err(UnitError::Mismatch {
                from: from.to_owned(),
                to: to.to_owned(),
            });
        }
        if from == to {
            return Ok(number.clone());
        }
        let end = |n: &Decimal| n.checked_mul(&source.factor)?.checked_div(&target.factor);
        match (end(&number.low), end(&number.high)) {
            (Some(low), Some(high)) => Ok(NumberInterval { low, high }),
            _ => Err(UnitError::Inexact {
                number: number.to_string(),
                from: from.to_owned(),
                to: to.to_owned(),
            }),
        }
    }

    fn measure(&self, name: &str) -> Result<&Measure, UnitError> {
        self.table.get(name).ok_or_else(|| UnitError::Unknown {
            name: name.to_owned(),
            near: self.nearest(name),
        })
    }

    /// How `name` is measured, or would be if it were a base unit.
    fn resolved(&self, name: &str) -> Measure {
        self.table
            .get(name)
            .cloned()
            .unwrap_or_else(|| base_unit(name))
    }

    /// The units measured in `old`, measured in the base of `old` instead.
    fn remeasured(&self, old: &str, measure: &Measure) -> Option<Vec<(String, Measure)>> {
        self.table
            .iter()
            .filter(|(name, m)| m.base == old && name.as_str() != old)
            .map(|(name, m)| {
                let factor = m.factor.checked_mul(&measure.factor)?;
                let base = measure.base.clone();
                Some((name.clone(), Measure { factor, base }))
            })
            .collect()
    }
}

fn base_unit(name: &str) -> Measure {
    Measure {
        factor: Decimal::one(),
        base: name.to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn d(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    fn lengths() -> Units {
        let mut units = Units::new();
        units.define("mi", d("1760"), "yd").unwrap();
        units.define("yd", d("0.9144"), "m").unwrap();
        units.define("km", d("1000"), "m").unwrap();
        units.define("m", d("1"), "m").unwrap();
        units.define("kg", d("1"), "kg").unwrap();
        units
    }

    #[test]
    fn conversion_is_exact_or_refused() {
        let units = lengths();
        let five = NumberInterval::parse("5..6").unwrap();
        assert_eq!(
            units.convert(&five, "mi", "km").unwrap().to_string(),
            "8.04672..9.656064"
        );
        assert!(matches!(
            units.convert(&five, "km", "mi"),
            Err(UnitError::Inexact { .. })
        ));
        assert!(matches!(
            units.convert(&five, "km", "kg"),
            Err(UnitError::Mismatch { .. })
        ));
        match units.convert(&five, "KM", "m") {
            Err(UnitError::Unknown { near, .. }) => assert_eq!(near.first().unwrap(), "km"),
            other => assert!(other.is_err()),
        }
        assert_eq!(units.to_base(&d("2"), "mi"), Some((d("3218.688"), "m")));
        assert!(units.same_quantity("mi", "km") && !units.same_quantity("mi", "kg"));
    }

    #[test]
    fn definitions_do_not_contradict() {
        let mut units = lengths();
        units.define("mi", d("1760"), "yd").unwrap();
        units.define("mi", d("1609.344"), "m").unwrap();
        assert!(matches!(
            units.define("mi", d("1852"), "m"),
            Err(UnitError::Conflict { .. })
        ));
        assert!(matches!(
            units.define("m", d("0.001"), "km"),
            Err(UnitError::Circular { .. })
        ));
        assert!(matches!(
            units.define("x", d("0"), "m"),
            Err(UnitError::Factor { .. })
        ));
        assert!(matches!(
            units.define("x", d("2"), "x"),
            Err(UnitError::Factor { .. })
        ));
    }

    proptest! {
        #[test]
        fn order_of_definition_changes_nothing(order in Just(vec![0usize, 1, 2, 3, 4]).prop_shuffle()) {
            let statements = [("mi", "1760", "yd"), ("yd", "0.9144", "m"), ("km", "1000", "m"),
                ("m", "1", "m"), ("kg", "1", "kg")];
            let mut units = Units::new();
            for i in order {
                let (name, factor, base) = statements[i];
                units.define(name, d(factor), base).unwrap();
            }
            prop_assert_eq!(units, lengths());
        }
    }
}
