//! A formal context and its two derivations.

use super::bits::{self, Matrix};
use std::fmt;

/// A formal context (Ganter and Wille, 1999): which objects have which attributes,
/// as a matrix of bits both ways. Objects are the numbers `0..objects`, attributes
/// the numbers `0..attributes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    objects: u32,
    attributes: u32,
    crosses: u64,
    rows: Matrix,
    columns: Matrix,
}

/// A context whose matrices would need more memory than is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// How many bytes it would need.
    pub needed: u64,
    /// How many it may have.
    pub allowed: u64,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        write!(
            f,
            "the context needs {} MiB, and {} MiB are allowed; take fewer objects or attributes, or ask for a larger support",
            mib(self.needed),
            mib(self.allowed)
        )
    }
}

impl std::error::Error for TooLarge {}

impl Context {
    /// How many bytes the two matrices of a context take.
    pub fn bytes(objects: u32, attributes: u32) -> u64 {
        let blocks = |bits: u32| u64::from(bits).div_ceil(64);
        let rows = u64::from(objects).saturating_mul(blocks(attributes));
        let columns = u64::from(attributes).saturating_mul(blocks(objects));
        rows.saturating_add(columns).saturating_mul(8)
    }

    /// The context with these crosses `(object, attribute)`, in any order and with
    /// repetitions, if its matrices take at most `allowed` bytes. Crosses outside
    /// `0..objects` and `0..attributes` are left out.
    ///
    /// # Errors
    /// [`TooLarge`], before anything is allocated.
    pub fn new(
        objects: u32,
        attributes: u32,
        crosses: impl IntoIterator<Item = (u32, u32)>,
        allowed: u64,
    ) -> Result<Context, TooLarge> {
        let needed = Context::bytes(objects, attributes);
        if needed > allowed || usize::try_from(needed).is_err() {
            return Err(TooLarge { needed, allowed });
        }
        let mut rows = Matrix::new(objects as usize, attributes as usize);
        let mut columns = Matrix::new(attributes as usize, objects as usize);
        for (object, attribute) in crosses {
            if object < objects && attribute < attributes {
                rows.set(object as usize, attribute as usize);
                columns.set(attribute as usize, object as usize);
            }
        }
        let crosses = (0..objects).map(|object| bits::size(rows.row(object as usize)));
        Ok(Context {
            objects,
            attributes,
            crosses: crosses.sum(),
            rows,
            columns,
        })
    }

    /// How many objects there are.
    pub fn objects(&self) -> u32 {
        self.objects
    }

    /// How many attributes there are.
    pub fn attributes(&self) -> u32 {
        self.attributes
    }

    /// How many crosses there are.
    pub fn crosses(&self) -> u64 {
        self.crosses
    }

    /// Whether an object has an attribute; false outside the context.
    pub fn has(&self, object: u32, attribute: u32) -> bool {
        object < self.objects
            && attribute < self.attributes
            && bits::contains(self.row(object as usize), attribute as usize)
    }

    /// The attributes of an object, as blocks of 64 bits.
    pub(super) fn row(&self, object: usize) -> &[u64] {
        self.rows.row(object)
    }

    /// The objects with an attribute, as blocks of 64 bits.
    pub(super) fn column(&self, attribute: usize) -> &[u64] {
        self.columns.row(attribute)
    }

    /// `A'`: the objects that have all of these attributes, ascending. No object has
    /// an attribute outside the context.
    pub fn extent(&self, attributes: &[u32]) -> Vec<u32> {
        if attributes.iter().any(|a| *a >= self.attributes) {
            return Vec::new();
        }
        common(self.objects, &self.columns, attributes)
    }

    /// `B'`: the attributes that all of these objects have, ascending. An object
    /// outside the context has none.
    pub fn intent(&self, objects: &[u32]) -> Vec<u32> {
        if objects.iter().any(|object| *object >= self.objects) {
            return Vec::new();
        }
        common(self.attributes, &self.rows, objects)
    }

    /// `A''`: the attributes that every object with all of these attributes has,
    /// ascending.
    pub fn closure(&self, attributes: &[u32]) -> Vec<u32> {
        self.intent(&self.extent(attributes))
    }

    /// The objects and the attributes exchanged.
    pub fn transposed(&self) -> Context {
        Context {
            objects: self.attributes,
            attributes: self.objects,
            crosses: self.crosses,
            rows: self.columns.clone(),
            columns: self.rows.clone(),
        }
    }
}

/// What all of the chosen rows share, of `0..count`.
fn common(count: u32, matrix: &Matrix, chosen: &[u32]) -> Vec<u32> {
    let mut set = vec![0; matrix.blocks()];
    bits::fill(&mut set, count as usize);
    for &row in chosen {
        bits::intersect(&mut set, matrix.row(row as usize));
    }
    bits::numbers(&set).map(|number| number as u32).collect()
}
