//! What each string is to instances: an id, a symbol, a name that is claimed.

use super::intern::{NONE, StringKey};

/// What a string may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The id of an instance.
    Id = 0,
    /// What stands for whatever has this name.
    Symbol = 1,
    /// A name; the latest claim to it.
    Claim = 2,
}

/// By string, a number for each of its roles. Most strings have one at most, and take
/// 4 bytes.
#[derive(Clone, Default)]
pub(super) struct Roles {
    /// [`NONE`], or in the upper bits which role it is, in the lower ones its number.
    slots: Vec<u32>,
    /// The numbers of strings with several roles, or with great numbers.
    several: Vec<[u32; 3]>,
}

const SEVERAL: u32 = 3;
const SHIFT: u32 = 30;
/// Numbers from here on do not fit into a slot.
const GREAT: u32 = (1 << SHIFT) - 1;

impl Roles {
    /// The bytes that they take in memory.
    pub(super) fn size(&self) -> usize {
        4 * self.slots.len() + 12 * self.several.len()
    }

    /// Makes room for so many strings more.
    pub(super) fn reserve(&mut self, count: usize) {
        self.slots.reserve(count);
    }

    /// The number of a string in a role.
    pub(super) fn get(&self, string: StringKey, role: Role) -> Option<u32> {
        let slot = *self.slots.get(string.0 as usize)?;
        let number = match slot >> SHIFT {
            _ if slot == NONE => NONE,
            SEVERAL => *self
                .several
                .get((slot & GREAT) as usize)?
                .get(role as usize)?,
            tag if tag == role as u32 => slot & GREAT,
            _ => NONE,
        };
        (number != NONE).then_some(number)
    }

    /// Gives a string another number in a role, or takes it out of it.
    pub(super) fn set(&mut self, string: StringKey, role: Role, number: Option<u32>) {
        let at = string.0 as usize;
        if self.slots.len() <= at {
            self.slots.resize(at + 1, NONE);
        }
        let Some(slot) = self.slots.get_mut(at) else {
            return;
        };
        let number = number.unwrap_or(NONE);
        let (tag, own) = (*slot >> SHIFT, role as u32);
        if *slot != NONE && tag == SEVERAL {
            let numbers = self.several.get_mut((*slot & GREAT) as usize);
            if let Some(slot) = numbers.and_then(|n| n.get_mut(role as usize)) {
                *slot = number;
            }
            return;
        }
        if (*slot == NONE || tag == own) && (number < GREAT || number == NONE) {
            *slot = match number {
                NONE => NONE,
                number => own << SHIFT | number,
            };
            return;
        }
        if number == NONE {
            return;
        }
        let mut numbers = [NONE; 3];
        if *slot != NONE
            && let Some(number) = numbers.get_mut(tag as usize)
        {
            *number = *slot & GREAT;
        }
        if let Some(slot) = numbers.get_mut(role as usize) {
            *slot = number;
        }
        *slot = SEVERAL << SHIFT | self.several.len() as u32;
        self.several.push(numbers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_role_has_its_own_number(
            steps in prop::collection::vec((0u32..4, 0usize..3, prop::option::of(0u32..5)), 0..60)
        ) {
            let all = [Role::Id, Role::Symbol, Role::Claim];
            let great = [0, 7, GREAT - 1, GREAT, NONE - 1];
            let mut roles = Roles::default();
            let mut model = [[None; 3]; 4];
            for (string, role, number) in steps {
                let number = number.map(|n| great[n as usize]);
                roles.set(StringKey(string), all[role], number);
                model[string as usize][role] = number;
                for (string, numbers) in (0u32..).zip(&model) {
                    for (role, number) in all.into_iter().zip(numbers) {
                        prop_assert_eq!(roles.get(StringKey(string), role), *number);
                    }
                }
            }
        }
    }
}
