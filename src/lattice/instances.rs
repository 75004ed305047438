//! Instances of a builder: found or made by name and id.

use super::BuildError;
use super::builder::{Builder, Inst, InstKey, Who, named, next_key};
use super::fold::one_space;
use super::intern::NONE;

impl Builder {
    /// The instance that is meant, which is created if it is absent.
    ///
    /// # Errors
    /// If the name is empty, stands for several, or does not go with the id.
    pub fn instance(&mut self, who: Who<'_>) -> Result<InstKey, BuildError> {
        match who {
            Who::Name(name) => {
                let name = named("an instance", name)?;
                match self.sole_named(&name)? {
                    Some(key) => Ok(InstKey(key)),
                    None => self.instance_of(&name, &name),
                }
            }
            Who::Id(id) => {
                let id = named("an instance", id)?;
                match self.find_id(&id) {
                    Some(key) => Ok(InstKey(key)),
                    None => self.instance_of(&id, &id),
                }
            }
            Who::Both { name, id } => {
                let (name, id) = (named("an instance", name)?, named("an id", id)?);
                self.instance_of(&name, &id)
            }
        }
    }

    /// The instance that is meant; none if it is absent or the name stands for
    /// several.
    pub fn find(&self, who: Who<'_>) -> Option<InstKey> {
        let key = match who {
            Who::Name(name) => self.sole_named(&one_space(name)).ok()?,
            Who::Id(id) => self.find_id(&one_space(id)),
            Who::Both { name, id } => self
                .find_id(&one_space(id))
                .filter(|&key| self.name_of(key) == one_space(name)),
        };
        key.map(InstKey)
    }

    /// The name of an instance; empty for a key of another builder.
    pub fn instance_name(&self, i: InstKey) -> &str {
        self.name_of(i.0)
    }

    /// The id of an instance; empty for a key of another builder.
    pub fn instance_id(&self, i: InstKey) -> &str {
        match self.instances.get(i.0 as usize) {
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

    fn find_id(&self, id: &str) -> Option<u32> {
        let id = self.strings.find(id)?;
        let key = self.with_id.get(id.0 as usize).copied()?;
        (key != NONE).then_some(key)
    }

    /// The only instance of a name.
    fn sole_named(&self, name: &str) -> Result<Option<u32>, BuildError> {
        let Some(string) = self.strings.find(name) else {
            return Ok(None);
        };
        let mut at = self
            .first_named
            .get(string.0 as usize)
            .copied()
            .unwrap_or(NONE);
        let mut keys = Vec::new();
        while let Some(inst) = self.instances.get(at as usize) {
            keys.push(at);
            at = inst.next;
        }
        if keys.len() > 1 {
            let mut ids: Vec<String> = keys
                .iter()
                .map(|&key| self.instance_id(InstKey(key)).to_owned())
                .collect();
            ids.sort();
            return Err(BuildError::Ambiguous {
                name: name.to_owned(),
                ids,
            });
        }
        Ok(keys.first().copied())
    }

    /// The instance of this id, which is created if absent and must have this name.
    fn instance_of(&mut self, name: &str, id: &str) -> Result<InstKey, BuildError> {
        if let Some(key) = self.find_id(id) {
            if self.name_of(key) != name {
                return Err(BuildError::Renamed {
                    id: id.to_owned(),
                    first: self.name_of(key).to_owned(),
                    second: name.to_owned(),
                });
            }
            return Ok(InstKey(key));
        }
        let key = next_key(self.instances.len(), "instances")?;
        let (name, id) = (self.string(name)?, self.string(id)?);
        self.instances.push(Inst {
            name,
            id,
            next: NONE,
            alive: false,
        });
        self.link(key);
        Ok(InstKey(key))
    }

    /// Lets an instance be found.
    pub(super) fn link(&mut self, key: u32) {
        self.first_named.resize(self.strings.len(), NONE);
        self.with_id.resize(self.strings.len(), NONE);
        if let Some(inst) = self.instances.get_mut(key as usize) {
            inst.alive = true;
            if let Some(first) = self.first_named.get_mut(inst.name.0 as usize) {
                inst.next = std::mem::replace(first, key);
            }
            if let Some(slot) = self.with_id.get_mut(inst.id.0 as usize) {
                *slot = key;
            }
        }
    }

    /// Lets an instance not be found any more.
    pub(super) fn unlink(&mut self, key: u32) {
        let Some(&inst) = self.instances.get(key as usize) else {
            return;
        };
        // While a retraction is rolled back, an earlier instance may have its id again.
        if let Some(slot) = self.with_id.get_mut(inst.id.0 as usize)
            && *slot == key
        {
            *slot = NONE;
        }
        let name = inst.name.0 as usize;
        let mut at = self.first_named.get(name).copied().unwrap_or(NONE);
        if at == key {
            if let Some(first) = self.first_named.get_mut(name) {
                *first = inst.next;
            }
        } else {
            while let Some(before) = self.instances.get_mut(at as usize) {
                if before.next == key {
                    before.next = inst.next;
                    break;
                }
                at = before.next;
            }
        }
        if let Some(inst) = self.instances.get_mut(key as usize) {
            inst.alive = false;
            inst.next = NONE;
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
        let name = self.living(i)?.name;
        let word = named("an alias", word)?;
        let word = self.string(&word)?;
        if word != name {
            self.aliases.push((i.0, word));
        }
        Ok(())
    }
}
