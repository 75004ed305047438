//! The modules of knowledge that are compiled in.

/// The modules by name, each an LQ text of declarations.
pub const MODULES: &[(&str, &str)] = &[
    ("std.geo", include_str!("../../../stdlib/geo.lq")),
    (
        "std.relations",
        include_str!("../../../stdlib/relations.lq"),
    ),
    ("std.time", include_str!("../../../stdlib/time.lq")),
    ("std.units", include_str!("../../../stdlib/units.lq")),
];

/// The text of a module.
pub fn module(name: &str) -> Option<&'static str> {
    let found = MODULES.iter().find(|(module, _)| *module == name);
    found.map(|(_, text)| *text)
}
