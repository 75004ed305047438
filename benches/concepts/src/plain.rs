//! Close-by-One over bitsets, as a textbook has it (Kuznetsov, 1999). The baseline.

/// A context as the baseline keeps it: the objects with each attribute, as bits.
pub struct Plain {
    objects: usize,
    attributes: usize,
    blocks: usize,
    columns: Vec<Vec<u64>>,
}

/// The extent and the intent of one depth.
struct Buffer {
    extent: Vec<u64>,
    intent: Vec<u64>,
}

impl Plain {
    /// From the numbers of each object's attributes.
    pub fn new(attributes: usize, rows: &[Vec<u32>]) -> Plain {
        let blocks = rows.len().div_ceil(64);
        let mut columns = vec![vec![0; blocks]; attributes];
        for (object, row) in rows.iter().enumerate() {
            for &attribute in row {
                columns[attribute as usize][object / 64] |= 1 << (object % 64);
            }
        }
        Plain {
            objects: rows.len(),
            attributes,
            blocks,
            columns,
        }
    }

    /// How many concepts there are.
    pub fn count(&self) -> u64 {
        let mut count = 0;
        self.each(&mut |_, _| count += 1);
        count
    }

    /// Visits the extent and the intent of each concept.
    pub fn each(&self, visit: &mut impl FnMut(&[u64], &[u64])) {
        let intent_blocks = self.attributes.div_ceil(64);
        let mut buffers: Vec<Buffer> = (0..self.attributes + 2)
            .map(|_| Buffer {
                extent: vec![0; self.blocks],
                intent: vec![0; intent_blocks],
            })
            .collect();
        let first = &mut buffers[0];
        for object in 0..self.objects {
            first.extent[object / 64] |= 1 << (object % 64);
        }
        self.close(&first.extent, 0..self.attributes, &mut first.intent);
        self.children(&mut buffers, 0, visit);
    }

    /// Adds the attributes of a range that all objects of an extent have.
    fn close(&self, extent: &[u64], range: std::ops::Range<usize>, intent: &mut [u64]) {
        for attribute in range {
            if self.all_have(extent, attribute) {
                intent[attribute / 64] |= 1 << (attribute % 64);
            }
        }
    }

    fn all_have(&self, extent: &[u64], attribute: usize) -> bool {
        let column = &self.columns[attribute];
        extent.iter().zip(column).all(|(a, b)| a & !b == 0)
    }

    fn children(
        &self,
        buffers: &mut [Buffer],
        from: usize,
        visit: &mut impl FnMut(&[u64], &[u64]),
    ) {
        let Some((present, below)) = buffers.split_first_mut() else {
            return;
        };
        visit(&present.extent, &present.intent);
        for attribute in from..self.attributes {
            if has(&present.intent, attribute) {
                continue;
            }
            let child = &mut below[0];
            let columns = present.extent.iter().zip(&self.columns[attribute]);
            for (new, (a, b)) in child.extent.iter_mut().zip(columns) {
                *new = a & b;
            }
            let mut earlier = 0..attribute;
            let fails = |other| !has(&present.intent, other) && self.all_have(&child.extent, other);
            if earlier.any(fails) {
                continue;
            }
            child.intent.copy_from_slice(&present.intent);
            self.close(&child.extent, attribute..self.attributes, &mut child.intent);
            self.children(below, attribute + 1, visit);
        }
    }

    /// Visits the intents of each concept and of each of its lower neighbours: the closures
    /// with one attribute more that hold no other such closure.
    pub fn each_cover(&self, visit: &mut impl FnMut(&[u64], &[u64])) {
        let mut closures: Vec<Vec<u64>> = Vec::new();
        self.each(&mut |extent, intent| {
            closures.clear();
            for attribute in 0..self.attributes {
                if has(intent, attribute) {
                    continue;
                }
                let columns = extent.iter().zip(&self.columns[attribute]);
                let child: Vec<u64> = columns.map(|(a, b)| a & b).collect();
                let mut closure = intent.to_vec();
                self.close(&child, 0..self.attributes, &mut closure);
                closures.push(closure);
            }
            closures.sort_unstable();
            closures.dedup();
            for closure in &closures {
                let holds = |other: &&Vec<u64>| {
                    *other != closure && other.iter().zip(closure).all(|(a, b)| a & !b == 0)
                };
                if !closures.iter().any(|other| holds(&other)) {
                    visit(intent, closure);
                }
            }
        });
    }
}

fn has(set: &[u64], number: usize) -> bool {
    set[number / 64] >> (number % 64) & 1 != 0
}
