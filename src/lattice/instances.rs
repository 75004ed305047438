//! Instances of a builder: found or made by name and id.

use super::BuildError;
use super::builder::{Builder, Claim, Inst, InstKey, Naming, Who, named, next_key};
use super::fold::one_space;
use super::intern::StringKey;
use super::mentions::{DECLARED, MENTIONED, NAMED};
use super::roles::Role;
use super::undo::Undo;
use std::cmp::Ordering;

impl Inst {
    /// What its id is to it.
    fn role(&self) -> Role {
        match self.naming {
            Naming::Symbol => Role::Symbol,
            _ => Role::Id,
        }
    }
}

impl Builder {
    /// The instance that is meant, which is created if it is absent. What
    /// [`Who::Name`] means is settled by [`Builder::freeze`]: the key stands for the
    /// name until then, whatever is declared later.
    ///
    /// # Errors
    /// If the name is empty, stands for several, or does not go with the id.
    pub fn instance(&mut self, who: Who<'_>) -> Result<InstKey, BuildError> {
        let (id, name, naming) = match who {
            Who::Name(name) => return self.symbol(name),
            Who::Id(id) => (id, id, Naming::Id),
            Who::Both { name, id } => (id, name, Naming::Stated),
            Who::Listed {
                name,
                id,
                given: true,
            } => (id, name, Naming::Given),
            Who::Listed { name, id, .. } => (id, name, Naming::Derived),
        };
        let (name, id) = (named("an instance", name)?, named("an id", id)?);
        let same = name == id;
        let name = self.string(&name)?;
        let id = if same { name } else { self.string(&id)? };
        let key = match self.roles.get(id, Role::Id) {
            Some(key) => key,
            None => self.put(Inst {
                name: id,
                id,
                naming: Naming::Id,
                alive: false,
                counts: 0,
                seen: 0,
            })?,
        };
        if naming != Naming::Id {
            self.claim(key, name, naming)?;
            self.see(key, MENTIONED | NAMED);
        } else {
            self.see(key, MENTIONED);
        }
        Ok(InstKey(key))
    }

    /// The instance that is meant, which is there from now on even if nothing is said
    /// of it. A name without an id is its id too.
    ///
    /// # Errors
    /// As [`Builder::instance`].
    pub fn declare_instance(&mut self, who: Who<'_>) -> Result<InstKey, BuildError> {
        let key = self.instance(match who {
            Who::Name(name) => Who::Both { name, id: name },
            who => who,
        })?;
        self.see(key.0, DECLARED);
        Ok(key)
    }

    /// The instance that is meant; none if it is absent or the name stands for
    /// several.
    pub fn find(&self, who: Who<'_>) -> Option<InstKey> {
        let string = |text: &str| self.strings.find(&one_space(text));
        let key = match who {
            Who::Name(name) => {
                let name = string(name)?;
                let home = self.home_of(name).ok()?;
                self.symbol_of(name).or(home)
            }
            Who::Id(id) | Who::Listed { id, .. } => self.find_id(string(id)?),
            Who::Both { name, id } => self
                .find_id(string(id)?)
                .filter(|&key| self.name_of(key) == one_space(name)),
        };
        key.map(InstKey)
    }

    /// The name of an instance; empty for a key of another builder.
    pub fn instance_name(&self, i: InstKey) -> &str {
        self.name_of(self.at_present(i.0))
    }

    /// The id of an instance; empty for a key of another builder. Of one that is
    /// known by its name alone, the id as things stand.
    pub fn instance_id(&self, i: InstKey) -> &str {
        match self.instances.get(self.at_present(i.0) as usize) {
            Some(inst) => self.strings.get(inst.id),
            None => "",
        }
    }

    fn name_of(&self, key: u32) -> &str {
        match self.instances.get(key as usize) {
            Some(inst) => self.strings.get(inst.name),
            None => "",
        }
    }

    /// The instance of an id, as things stand.
    fn find_id(&self, id: StringKey) -> Option<u32> {
        self.roles.get(id, Role::Id).or_else(|| {
            let symbol = self.symbol_of(id)?;
            self.claimants(id).is_empty().then_some(symbol)
        })
    }

    fn symbol_of(&self, name: StringKey) -> Option<u32> {
        self.roles.get(name, Role::Symbol)
    }

    /// What stands for whatever has this name.
    fn symbol(&mut self, name: &str) -> Result<InstKey, BuildError> {
        let name = named("an instance", name)?;
        let name = self.string(&name)?;
        // Nothing that is said later makes these fewer.
        let claimants = self.claimants(name);
        if claimants.len() > 1 {
            return Err(self.ambiguous(name, &claimants));
        }
        if let Some(key) = self.symbol_of(name) {
            return Ok(InstKey(key));
        }
        let key = self.put(Inst {
            name,
            id: name,
            naming: Naming::Symbol,
            alive: false,
            counts: 0,
            seen: 0,
        })?;
        Ok(InstKey(key))
    }

    fn put(&mut self, inst: Inst) -> Result<u32, BuildError> {
        let key = next_key(self.instances.len(), "instances")?;
        self.instances.push(inst);
        self.link(key);
        Ok(key)
    }

    /// Says that an instance goes by a name: its name, or an alias if it has a
    /// better one.
    fn claim(&mut self, key: u32, name: StringKey, naming: Naming) -> Result<(), BuildError> {
        let Some(&inst) = self.instances.get(key as usize) else {
            return Ok(());
        };
        if inst.name == name && inst.naming >= naming {
            return Ok(());
        }
        if inst.naming == Naming::Stated && naming == Naming::Stated {
            return Err(BuildError::Renamed {
                id: self.strings.get(inst.id).to_owned(),
                first: self.strings.get(inst.name).to_owned(),
                second: self.strings.get(name).to_owned(),
                place: String::new(),
            });
        }
        let at = next_key(self.claims.len(), "names")?;
        let before = self.roles.get(name, Role::Claim);
        let repeated = before.and_then(|before| self.claims.get(before as usize));
        if repeated.is_none_or(|claim| claim.instance != key) {
            self.roles.set(name, Role::Claim, Some(at));
            self.claims.push(Claim {
                instance: key,
                name,
            });
            if let Some(before) = before {
                self.claims_before.insert(at, before);
            }
        }
        let better = match naming.cmp(&inst.naming) {
            Ordering::Equal => self.strings.get(name) < self.strings.get(inst.name),
            order => order == Ordering::Greater,
        };
        let (name, other) = if better {
            self.note_naming(key, name);
            self.change(key, |inst| (inst.name, inst.naming) = (name, naming));
            (name, (inst.naming != Naming::Id).then_some(inst.name))
        } else {
            (inst.name, Some(name))
        };
        if let Some(word) = other.filter(|&word| word != name) {
            self.aliases.push((key, word));
        }
        Ok(())
    }

    /// An instance gets another name: what documents before this one say of it, or of
    /// whatever has that name, may mean something else from now on.
    fn note_naming(&mut self, key: u32, name: StringKey) {
        let Some(open) = &self.documents.open else {
            return;
        };
        let first = open.first;
        if key < first || self.symbol_of(name).is_some_and(|symbol| symbol < first) {
            self.note_change();
        }
    }

    fn change(&mut self, key: u32, change: impl FnOnce(&mut Inst)) {
        // What came after the last checkpoint goes with it as it is.
        let latest = self.marks.last();
        let logged = latest.is_some_and(|mark| (key as usize) < mark.instances);
        if let Some(inst) = self.instances.get_mut(key as usize) {
            if logged {
                self.undo.push(Undo::Instance(key, *inst));
            }
            change(inst);
        }
    }

    /// Lets an instance be found.
    pub(super) fn link(&mut self, key: u32) {
        if let Some(inst) = self.instances.get_mut(key as usize) {
            inst.alive = true;
            let role = inst.role();
            self.roles.set(inst.id, role, Some(key));
        }
    }

    /// Lets an instance not be found any more.
    pub(super) fn unlink(&mut self, key: u32) {
        let Some(inst) = self.instances.get_mut(key as usize) else {
            return;
        };
        inst.alive = false;
        let role = inst.role();
        // While a retraction is rolled back, an earlier instance may have its id again.
        if self.roles.get(inst.id, role) == Some(key) {
            self.roles.set(inst.id, role, None);
        }
    }

    pub(super) fn living(&self, i: InstKey) -> Result<&Inst, BuildError> {
        let (what, key) = ("instance", i.0);
        self.instances
            .get(i.0 as usize)
            .filter(|inst| inst.alive)
            .ok_or(BuildError::UnknownKey { what, key })
    }

    /// Gives an instance another name.
    ///
    /// # Errors
    /// If the word is empty.
    pub fn add_alias(&mut self, i: InstKey, word: &str) -> Result<(), BuildError> {
        let inst = *self.living(i)?;
        let word = named("an alias", word)?;
        let word = self.string(&word)?;
        // The name of one that has but an id is not its last word.
        if word != inst.name || inst.naming == Naming::Id {
            self.aliases.push((i.0, word));
        }
        Ok(())
    }
}
