//! SQLite on the same triples.

use super::chains::Chain;
use cpu_time::ThreadTime;
use latweave::lattice::Lattice;
use rusqlite::{Connection, params_from_iter};
use std::error::Error;
use std::path::Path;
use std::time::Duration;

/// All relations as one table of edges. Relation `d` is the lattice's dimension
/// `d`; inverses are dimensions too, so both directions are there.
pub struct Peer {
    connection: Connection,
    /// The statements for 1, 2 and 3 hops.
    texts: [String; 3],
    /// How long building took.
    pub cpu: Duration,
    /// The size of its file.
    pub bytes: u64,
}

impl Peer {
    pub fn build(lattice: &Lattice, path: &Path) -> Result<Peer, Box<dyn Error>> {
        let start = ThreadTime::now();
        let mut connection = Connection::open(path)?;
        connection.execute_batch(
            "PRAGMA journal_mode = off; PRAGMA synchronous = off;
             CREATE TABLE edge (r INTEGER, s INTEGER, o INTEGER, PRIMARY KEY (r, s, o)) WITHOUT ROWID;",
        )?;
        let transaction = connection.transaction()?;
        {
            let mut insert = transaction.prepare("INSERT INTO edge VALUES (?, ?, ?)")?;
            for d in chains_of(lattice) {
                let relation = lattice.positive(d);
                for (rank, &subject) in relation.subjects().iter().enumerate() {
                    for &object in relation.row(rank).values() {
                        insert.execute([i64::from(d.0), i64::from(subject), i64::from(object)])?;
                    }
                }
            }
        }
        transaction.commit()?;
        connection.execute_batch("ANALYZE")?;
        drop(connection);
        let cpu = start.elapsed();
        let connection = Connection::open(path)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.execute_batch(
            "PRAGMA mmap_size = 8000000000; PRAGMA cache_size = -1000000; PRAGMA temp_store = memory;",
        )?;
        Ok(Peer {
            connection,
            texts: [1, 2, 3].map(statement),
            cpu,
            bytes: std::fs::metadata(path)?.len(),
        })
    }

    /// The ids that a chain reaches, in any order.
    pub fn ask(&self, chain: &Chain) -> Result<Vec<u32>, Box<dyn Error>> {
        let topic = i64::from(chain.topic.0);
        let mut values = Vec::with_capacity(3 * chain.hops());
        for (k, hop) in chain.path.iter().enumerate() {
            values.push(i64::from(hop.0));
            if k == 0 {
                values.push(topic);
            }
            if chain.drops_topic() {
                values.push(topic);
            }
        }
        let sql = self.texts.get(chain.hops() - 1).ok_or("too many hops")?;
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params_from_iter(values))?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next()? {
            ids.push(row.get_ref(0)?.as_i64()? as u32);
        }
        Ok(ids)
    }
}

/// The statement for so many hops; with more than one the topic is dropped after
/// each, as in the plans beside it.
fn statement(hops: usize) -> String {
    let drop = |column: &str| match hops {
        1 => String::new(),
        _ => format!(" AND {column} <> ?"),
    };
    let first = format!("SELECT o FROM edge WHERE r = ? AND s = ?{}", drop("o"));
    (1..hops).fold(first, |sql, _| {
        format!(
            "SELECT DISTINCT e.o FROM ({sql}) x CROSS JOIN edge e ON e.r = ? AND e.s = x.o{}",
            drop("e.o")
        )
    })
}

fn chains_of(lattice: &Lattice) -> impl Iterator<Item = latweave::lattice::DimensionId> + '_ {
    let dimensions = lattice.dimensions().iter().enumerate();
    dimensions
        .filter(|(_, dimension)| dimension.is_entity())
        .map(|(d, _)| latweave::lattice::DimensionId(d as u16))
}
