//! Bytes are a lattice or are refused. Of a lattice everything can be asked, and what
//! can be told again and frozen says the same.
//!
//! Hashes are put right first, where there is a table of contents: without that no
//! changed byte would ever be read.

use latweave::lattice::{
    Builder, DimensionId, EvidenceId, InstanceId, Lattice, PredicateId, Relation, ValueId,
};

const HEADER: usize = 208;
const ENTRY: usize = 56;
const PAGE: usize = 1 << 14;
const SUM: usize = 16;

/// Reads the bytes, asks all of them, and builds them again.
pub fn read(bytes: &[u8]) {
    let rehashed = rehashed(bytes);
    let Ok(lattice) = Lattice::from_bytes(rehashed.as_deref().unwrap_or(bytes)) else {
        return;
    };
    let sound = lattice.verify_all().is_ok();
    ask(&lattice);
    if !sound {
        return;
    }
    if let Ok(builder) = Builder::from_lattice(&lattice)
        && let Ok(again) = builder.freeze()
    {
        again.verify_all().unwrap_or_else(|error| panic!("{error}"));
        ask(&again);
    }
}

fn ask(lattice: &Lattice) {
    let count = lattice.instance_count().min(200);
    for i in (0..count).chain([u32::MAX]).map(InstanceId) {
        let (name, id) = (lattice.name(i).to_owned(), lattice.id(i).to_owned());
        let _ = (
            lattice.called(&name),
            lattice.by_id(&id),
            lattice.aliases(i),
        );
        let _ = (
            lattice.nearest_names(&name),
            lattice.names_with_prefix(&name, 3),
        );
    }
    for d in (0..lattice.dimensions().len() as u16)
        .chain([u16::MAX])
        .map(DimensionId)
    {
        let dimension = lattice.dimension(d).name.clone();
        let _ = (
            lattice.find_dimension(&dimension),
            lattice.recorded_values(d).len(),
        );
        let values = lattice.value_count(d).min(200) as u32;
        for v in (0..values).chain([u32::MAX]).map(ValueId) {
            let _ = lattice.value(d, v);
            let _ = (
                lattice.positive(d).holders(v).len(),
                lattice.negative(d).holders(v).len(),
            );
            if let Some(taxonomy) = lattice.taxonomy(d) {
                let _ = (taxonomy.find(taxonomy.name(v)), taxonomy.synonyms(v));
            }
        }
        relation(lattice, lattice.positive(d));
        relation(lattice, lattice.negative(d));
    }
    for e in 0..lattice.counts().evidence.min(200) as u32 {
        let _ = lattice.evidence(EvidenceId(e));
    }
    let _ = (lattice.documents(), lattice.units(), lattice.content_hash());
}

fn relation(lattice: &Lattice, relation: Relation<'_>) {
    for p in (0..relation.len().min(200) as u32)
        .chain([u32::MAX])
        .map(PredicateId)
    {
        let _ = (relation.subject(p), relation.confidence(p));
        for (e, _) in relation.sources(p) {
            let _ = lattice.evidence(e);
        }
    }
    for (i, row) in relation.rows().take(200) {
        let _ = (row.len(), relation.of(i).len());
    }
}

/// The bytes with right hashes; none if they have no table of contents.
fn rehashed(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = bytes.to_vec();
    let table = usize::try_from(number(&bytes, 24)?).ok()?;
    if table < HEADER || table > bytes.len() || !(bytes.len() - table).is_multiple_of(ENTRY) {
        return None;
    }
    for entry in (table..bytes.len()).step_by(ENTRY) {
        let (offset, length) = (number(&bytes, entry + 8)?, number(&bytes, entry + 16)?);
        let offset = usize::try_from(offset).ok()?;
        let end = offset.checked_add(usize::try_from(length).ok()?)?;
        let section = bytes.get(offset..end)?;
        let sums: Vec<u8> = section
            .chunks(PAGE)
            .flat_map(|page| blake3::hash(page).as_bytes()[..SUM].to_vec())
            .collect();
        let start = end.checked_next_multiple_of(8)?;
        bytes
            .get_mut(start..start.checked_add(sums.len())?)?
            .copy_from_slice(&sums);
        let hash = *blake3::hash(&sums).as_bytes();
        bytes[entry + 24..entry + ENTRY].copy_from_slice(&hash);
    }
    let hash = *blake3::hash(&bytes[table..]).as_bytes();
    let all = bytes.len();
    for slot in [16, 16 + 96] {
        let ends = [(8, table), (16, all - table), (24, all)];
        for (at, end) in ends {
            bytes[slot + at..slot + at + 8].copy_from_slice(&(end as u64).to_le_bytes());
        }
        bytes[slot + 32..slot + 64].copy_from_slice(&hash);
        bytes[slot + 64..slot + 96].fill(0);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes[..16]);
        hasher.update(&bytes[slot..slot + 96]);
        let hash = *hasher.finalize().as_bytes();
        bytes[slot + 64..slot + 96].copy_from_slice(&hash);
    }
    Some(bytes)
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + 8)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}
