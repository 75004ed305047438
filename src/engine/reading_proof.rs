//! What an operand of COMPARE reads, with the walks that show it.

use super::RunError;
use super::certificate::positive;
use super::proof::{PredicateRef, ReadingProof};
use super::reading::Reading;
use super::run::Run;
use crate::lattice::{DimensionId, InstanceId, Value, ValueId};
use crate::plan::{By, Operand};

impl Run<'_> {
    pub(super) fn operand_proof(
        &self,
        operand: &Operand,
        by: &By,
    ) -> Result<ReadingProof, RunError> {
        match operand {
            Operand::Instance { instance, .. } => self.instance_proof(*instance, by),
            Operand::Value(..) => {
                let reading = self.read(operand, by)?;
                Ok(ReadingProof {
                    of: Err(self.print_reading(by.dimension(), &reading).concat()),
                    values: self.reading_values(&reading, by),
                    walks: Vec::new(),
                })
            }
        }
    }

    fn reading_values(&self, reading: &Reading, by: &By) -> Vec<Value> {
        reading
            .values
            .iter()
            .map(|point| self.show_point(by.dimension(), point))
            .collect()
    }

    pub(super) fn instance_proof(&self, x: InstanceId, by: &By) -> Result<ReadingProof, RunError> {
        let reading = self.read_instance(x, by)?;
        let mut walks = Vec::new();
        self.reading_walks(&by.steps, x, &mut Vec::new(), &mut walks)?;
        walks.sort();
        let walks: Result<Vec<_>, RunError> =
            walks.iter().map(|walk| self.read_walk(walk)).collect();
        Ok(ReadingProof {
            of: Ok(x),
            values: self.reading_values(&reading, by),
            walks: walks?,
        })
    }

    /// All walks that a reading follows.
    fn reading_walks(
        &self,
        steps: &[DimensionId],
        x: InstanceId,
        walk: &mut Vec<PredicateRef>,
        walks: &mut Vec<Vec<PredicateRef>>,
    ) -> Result<(), RunError> {
        self.meter.tick()?;
        let Some((&d, further)) = steps.split_first() else {
            walks.push(walk.clone());
            return Ok(());
        };
        let relation = self.lattice.positive(d);
        let values = match further.is_empty() {
            true => self.read_from(d, x, &mut false),
            false => self.followed(d, x, &mut false),
        };
        for v in values {
            if let Some(predicate) = relation.of(x).find(ValueId(v)) {
                walk.push(positive(d, predicate));
                self.reading_walks(further, InstanceId(v), walk, walks)?;
                walk.pop();
            }
        }
        Ok(())
    }
}
