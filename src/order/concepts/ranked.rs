//! A context made ready for a walk: equal rows are one row, equal columns one
//! column, and the attributes are numbered from the rarest to the most frequent.

use super::Context;
use super::bits::{self, Matrix};

/// Numbers that stand for one or several of the context's.
#[derive(Clone, Debug, Default)]
pub(super) struct Classes {
    offsets: Vec<u32>,
    members: Vec<u32>,
}

impl Classes {
    /// From lists of members.
    fn new(lists: &[Vec<u32>]) -> Classes {
        let mut classes = Classes {
            offsets: vec![0],
            members: Vec::new(),
        };
        for list in lists {
            classes.members.extend_from_slice(list);
            classes.offsets.push(classes.members.len() as u32);
        }
        classes
    }

    /// How many classes there are.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether every class has one member.
    pub fn are_single(&self) -> bool {
        self.members.len() == self.len()
    }

    /// The members of one class, ascending.
    pub fn members(&self, class: usize) -> &[u32] {
        &self.members[self.offsets[class] as usize..self.offsets[class + 1] as usize]
    }

    /// How many members a class has.
    pub fn weight(&self, class: usize) -> u64 {
        u64::from(self.offsets[class + 1] - self.offsets[class])
    }

    /// The members of all classes of a set, ascending.
    pub fn expand(&self, classes: impl Iterator<Item = usize>, into: &mut Vec<u32>) {
        into.clear();
        let mut last = 0;
        let mut ascending = true;
        for class in classes {
            for &member in self.members(class) {
                ascending &= last <= member;
                last = member;
                into.push(member);
            }
        }
        if !ascending {
            into.sort_unstable();
        }
    }
}

/// A context whose rows and columns are classes.
#[derive(Clone, Debug)]
pub(super) struct Ranked {
    /// Objects with the same attributes, by their smallest member.
    pub objects: Classes,
    /// Attributes of the same objects, from the rarest; ties by the smallest member.
    pub attributes: Classes,
    /// The attribute classes of each object class.
    pub rows: Matrix,
    /// The object classes of each attribute class.
    pub columns: Matrix,
}

impl Ranked {
    /// The classes of a context.
    pub fn new(context: &Context) -> Ranked {
        let attributes = classes(context.attributes(), |a| context.column(a));
        Ranked::with(context, attributes)
    }

    /// The same with a class for each attribute: that one of two equal attributes implies the other
    /// is something to say.
    pub fn with_single_attributes(context: &Context) -> Ranked {
        let single = (0..context.attributes()).map(|attribute| vec![attribute]);
        Ranked::with(context, single.collect())
    }

    fn with(context: &Context, mut attributes: Vec<Vec<u32>>) -> Ranked {
        let objects = classes(context.objects(), |object| context.row(object));
        attributes.sort_by_cached_key(|class| {
            let first = class[0];
            (bits::size(context.column(first as usize)), first)
        });
        let mut rank = vec![u32::MAX; context.attributes() as usize];
        for (class, members) in attributes.iter().enumerate() {
            rank[members[0] as usize] = class as u32;
        }
        let mut rows = Matrix::new(objects.len(), attributes.len());
        let mut columns = Matrix::new(attributes.len(), objects.len());
        for (object, members) in objects.iter().enumerate() {
            for attribute in bits::numbers(context.row(members[0] as usize)) {
                let class = rank[attribute] as usize;
                if class < attributes.len() {
                    rows.set(object, class);
                    columns.set(class, object);
                }
            }
        }
        Ranked {
            objects: Classes::new(&objects),
            attributes: Classes::new(&attributes),
            rows,
            columns,
        }
    }

    /// How many objects the classes of a set have.
    pub fn support(&self, extent: &[u64]) -> u64 {
        if self.objects.are_single() {
            return bits::size(extent);
        }
        bits::numbers(extent).map(|c| self.objects.weight(c)).sum()
    }
}

/// Numbers with equal sets, by their smallest member.
fn classes<'a>(count: u32, set: impl Fn(usize) -> &'a [u64]) -> Vec<Vec<u32>> {
    let mut order: Vec<u32> = (0..count).collect();
    order.sort_by(|&a, &b| set(a as usize).cmp(set(b as usize)).then(a.cmp(&b)));
    let mut classes: Vec<Vec<u32>> = Vec::new();
    for number in order {
        match classes.last_mut() {
            Some(class) if set(class[0] as usize) == set(number as usize) => class.push(number),
            _ => classes.push(vec![number]),
        }
    }
    classes.sort_by_key(|class| class[0]);
    classes
}
