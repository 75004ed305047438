//! Which instance each name stands for, once everything has been said.
//!
//! A statement that names an instance by its name alone speaks of whatever is called
//! so: of the one instance with an id that goes by the name, if there is just one,
//! and of an instance of that id if there is none. Which it is shows only at the
//! end, so that the order of statements and files does not matter. Until then the
//! name itself, a symbol, holds what is said.

use super::BuildError;
use super::builder::{Builder, InstKey, Naming};
use super::intern::{NONE, StringKey};
use super::roles::Role;

impl Builder {
    /// By key, the instance that it is: another one for some symbols.
    pub(super) fn homes(&self) -> Result<Vec<u32>, BuildError> {
        let mut homes: Vec<u32> = (0..self.instances.len() as u32).collect();
        // Of several names at fault the least is told, which does not depend on order.
        let mut fault: Option<(&str, u32, BuildError)> = None;
        for (key, inst) in (0u32..).zip(&self.instances) {
            if !inst.alive || inst.naming != Naming::Symbol {
                continue;
            }
            match (self.home_of(inst.name), homes.get_mut(key as usize)) {
                (Ok(Some(home)), Some(slot)) => *slot = home,
                (Ok(_), _) => {}
                (Err(error), _) => {
                    let name = self.strings.get(inst.name);
                    if fault.as_ref().is_none_or(|(least, ..)| name < *least) {
                        fault = Some((name, key, error));
                    }
                }
            }
        }
        match fault {
            None => Ok(homes),
            Some((_, key, error)) => Err(self.placed(error, key)),
        }
    }

    /// The instance with an id that a name stands for; none if the name is its own.
    pub(super) fn home_of(&self, name: StringKey) -> Result<Option<u32>, BuildError> {
        let own = self.roles.get(name, Role::Id);
        let own = own.and_then(|key| Some((key, self.instances.get(key as usize)?)));
        let mut keys = self.claimants(name);
        if let Some((key, inst)) = own
            && inst.name == name
            && !keys.contains(&key)
        {
            keys.push(key);
        }
        match (keys.as_slice(), own) {
            ([only], _) => Ok(Some(*only)),
            ([], None) => Ok(None),
            ([], Some((_, inst))) => Err(BuildError::Renamed {
                id: self.strings.get(name).to_owned(),
                first: self.strings.get(inst.name).to_owned(),
                second: self.strings.get(name).to_owned(),
                place: String::new(),
            }),
            _ => Err(self.ambiguous(name, &keys)),
        }
    }

    /// The living instances with an id that go by a name, each once.
    pub(super) fn claimants(&self, name: StringKey) -> Vec<u32> {
        let mut at = self.roles.get(name, Role::Claim);
        let mut keys = Vec::new();
        while let Some((place, claim)) = at.and_then(|at| Some((at, self.claims.get(at as usize)?)))
        {
            if self.living(InstKey(claim.instance)).is_ok() {
                keys.push(claim.instance);
            }
            at = self.claims_before.get(&place).copied();
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    pub(super) fn ambiguous(&self, name: StringKey, keys: &[u32]) -> BuildError {
        let id = |&key: &u32| {
            let inst = self.instances.get(key as usize)?;
            Some(self.strings.get(inst.id).to_owned())
        };
        let mut ids: Vec<String> = keys.iter().filter_map(id).collect();
        ids.sort();
        BuildError::Ambiguous {
            name: self.strings.get(name).to_owned(),
            ids,
            place: String::new(),
        }
    }

    /// The error with the first place of a fact that uses the name, if there is one.
    fn placed(&self, error: BuildError, key: u32) -> BuildError {
        let place = match self.first_use(key) {
            Some((document, Some(line))) => format!(" in {document}, line {line}"),
            Some((document, None)) => format!(" in {document}"),
            None => String::new(),
        };
        match error {
            BuildError::Ambiguous { name, ids, .. } => BuildError::Ambiguous { name, ids, place },
            BuildError::Renamed {
                id, first, second, ..
            } => BuildError::Renamed {
                id,
                first,
                second,
                place,
            },
            other => other,
        }
    }

    /// The least place of a fact that uses a key.
    fn first_use(&self, key: u32) -> Option<(&str, Option<u64>)> {
        let mut used = Vec::new();
        let read = self.facts.view().each(None, |columns| {
            let entity = self.is_entity(columns.dimension);
            let uses = columns.iter();
            let uses = uses.filter(|fact| fact.subject == key || (entity && fact.value == key));
            used.extend(uses.map(|fact| fact.source));
        });
        read.ok()?;
        let mut reader = self.sources.reader();
        let places = used.into_iter().filter_map(|key| {
            let source = reader.get(key).ok()??;
            Some((self.strings.get(source.document), source.line))
        });
        places.min()
    }

    /// Takes back all claims but the first `kept`.
    pub(super) fn unclaim(&mut self, kept: usize) {
        while self.claims.len() > kept {
            if let Some(claim) = self.claims.pop() {
                let before = self.claims_before.remove(&(self.claims.len() as u32));
                self.roles.set(claim.name, Role::Claim, before);
            }
        }
    }

    /// The instance that a key is at present; itself where that is not settled.
    pub(super) fn at_present(&self, key: u32) -> u32 {
        let symbol = self.instances.get(key as usize);
        let symbol = symbol.filter(|inst| inst.naming == Naming::Symbol);
        let home = symbol.and_then(|inst| self.home_of(inst.name).ok()?);
        home.filter(|&home| home != NONE).unwrap_or(key)
    }
}
