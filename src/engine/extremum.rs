//! COMPARE MAX and MIN: who beats every other candidate.

use super::RunError;
use super::compare::counted;
use super::reading::{Reading, line};
use super::run::Run;
use super::sets::Evaluated;
use crate::lattice::InstanceId;
use crate::plan::{By, Returns, SetOperand};
use crate::syntax::tree::Extreme;
use crate::verdict::{Answer, Caveat, Members};
use roaring::RoaringBitmap;

impl<'l> Run<'l> {
    /// Runs `COMPARE MAX|MIN OF … BY … [RETURN …]`.
    pub(super) fn extremum(
        &self,
        extreme: Extreme,
        of: &SetOperand,
        by: &By,
        returns: &Returns,
    ) -> Result<Evaluated, RunError> {
        let refused = |reason| Ok(Evaluated::abstained(reason, RoaringBitmap::new(), false));
        let (candidates, possible) = match of {
            SetOperand::Instances(list) => {
                (list.iter().map(|i| i.0).collect(), RoaringBitmap::new())
            }
            SetOperand::Query(id) => {
                let evaluated = self.evaluated(*id)?;
                if let Some(reason) = evaluated.reason() {
                    return refused(reason.clone());
                }
                (
                    instances_of(evaluated.certain()),
                    instances_of(self.possible(*id)?.as_ref()),
                )
            }
        };
        let mut readings = self.read_all(&candidates, by)?;
        if by.count {
            if let Some(reason) = self.uncountable(by, possible.len(), &readings)? {
                return refused(reason);
            }
            readings.iter_mut().for_each(counted);
        }
        let lacking: Vec<InstanceId> = readings
            .iter()
            .filter(|reading| reading.values.is_empty())
            .filter_map(Reading::instance)
            .collect();
        if !lacking.is_empty() {
            return refused(self.missing(by, lacking));
        }
        let winners = winners(extreme, &readings);
        if winners.is_empty() {
            let left = unbeaten(extreme, &readings);
            return refused(self.incomparable(by, &left));
        }
        let caveat = self.extremum_caveat(extreme, by, &winners, &possible)?;
        let won: RoaringBitmap = winners
            .iter()
            .filter_map(|reading| reading.instance())
            .map(|i| i.0)
            .collect();
        self.give_winners(won, returns, caveat)
    }

    fn read_all(&self, candidates: &RoaringBitmap, by: &By) -> Result<Vec<Reading>, RunError> {
        let mut readings = Vec::new();
        for x in candidates {
            self.meter.tick()?;
            let reading = self.read_instance(InstanceId(x), by)?;
            self.meter.spend(64 * (1 + reading.values.len()) as u64)?;
            readings.push(reading);
        }
        Ok(readings)
    }

    fn extremum_caveat(
        &self,
        extreme: Extreme,
        by: &By,
        winners: &[&Reading],
        possible: &RoaringBitmap,
    ) -> Result<Caveat, RunError> {
        let mut caveat = Caveat {
            open: if by.count {
                Vec::new()
            } else {
                self.unsure_steps(by)
            },
            ..Caveat::default()
        };
        let Some(winner) = winners.first() else {
            return Ok(caveat);
        };
        let order = self.order(by.dimension(), 0.0);
        caveat.equal_as_recorded = winners.len() > 1
            && winner
                .values
                .iter()
                .any(|point| !self.is_fixed_point(&order, point));
        for x in possible {
            self.meter.tick()?;
            let reading = self.read_instance(InstanceId(x), by)?;
            // One that ties would win too.
            let beaten = beats(extreme, winner, &reading);
            if reading.values.is_empty() || reading.contested || !beaten {
                caveat.could_change.insert(x);
            }
        }
        Ok(caveat)
    }

    fn give_winners(
        &self,
        won: RoaringBitmap,
        returns: &Returns,
        caveat: Caveat,
    ) -> Result<Evaluated, RunError> {
        let mut evaluated = match returns {
            Returns::Path(path) => self.return_path(path, won, 0.0)?,
            Returns::Rows(paths) => self.return_rows(paths, won, 0.0)?,
            Returns::Instances | Returns::Count(_) => {
                let members = Members::Instances(won.clone());
                let answer = Answer::Set(super::returns::plain_set(members.clone()));
                Evaluated::answered(answer, won, members)
            }
        };
        if let crate::verdict::Outcome::Answer(answer) = &mut evaluated.outcome {
            match answer {
                Answer::Set(set) => set.caveat = caveat,
                Answer::Rows(rows) => rows.caveat = caveat,
                _ => {}
            }
        }
        Ok(evaluated)
    }
}

pub(super) fn instances_of(members: &Members) -> RoaringBitmap {
    match members {
        Members::Instances(set) => set.clone(),
        Members::Values(..) | Members::Texts(_) | Members::Interval(..) => RoaringBitmap::new(),
    }
}

/// Whether every value of one lies beyond every value of the other.
fn beats(extreme: Extreme, a: &Reading, b: &Reading) -> bool {
    line(a, b).is_some_and(|line| match extreme {
        Extreme::Max => line.above,
        Extreme::Min => line.below,
    })
}

/// Whether both read the same single, uncontested value.
fn tie(a: &Reading, b: &Reading) -> bool {
    !a.contested && !b.contested && a.values.len() == 1 && a.values == b.values
}

/// Those that beat or tie with each other candidate. A winner's near end lies
/// farthest out; so one candidate of that kind is tried against all.
fn winners(extreme: Extreme, readings: &[Reading]) -> Vec<&Reading> {
    let Some(first) = readings.first() else {
        return Vec::new();
    };
    // The running best is beaten by nobody seen before it, if a winner exists.
    let best = readings.iter().fold(first, |best, next| {
        if beats(extreme, next, best) {
            next
        } else {
            best
        }
    });
    let wins = |a: &Reading| {
        readings
            .iter()
            .all(|b| a.who == b.who || beats(extreme, a, b) || tie(a, b))
    };
    if !wins(best) {
        return Vec::new();
    }
    readings
        .iter()
        .filter(|a| a.who == best.who || tie(a, best))
        .collect()
}

/// Those that no other candidate certainly beats.
fn unbeaten(extreme: Extreme, readings: &[Reading]) -> Vec<&Reading> {
    // Whoever is beaten is beaten by the one whose near end lies farthest out;
    // comparing with each that beat the last best finds it.
    let Some(first) = readings.first() else {
        return Vec::new();
    };
    let nearest = readings.iter().fold(first, |best, next| {
        if near_end_beyond(extreme, next, best) {
            next
        } else {
            best
        }
    });
    readings
        .iter()
        .filter(|a| !beats(extreme, nearest, a))
        .collect()
}

/// Whether the near end of one lies farther out than the near end of the other.
fn near_end_beyond(extreme: Extreme, a: &Reading, b: &Reading) -> bool {
    use super::reading::Point;
    fn low(point: &Point) -> Point {
        match point {
            Point::Number(i) => Point::Number(crate::lattice::NumberInterval::point(i.low.clone())),
            Point::Date(i) => Point::Date(crate::lattice::DateInterval {
                first: i.first,
                last: i.first,
            }),
            Point::Node(v) => Point::Node(*v),
        }
    }
    fn high(point: &Point) -> Point {
        match point {
            Point::Number(i) => {
                Point::Number(crate::lattice::NumberInterval::point(i.high.clone()))
            }
            Point::Date(i) => Point::Date(crate::lattice::DateInterval {
                first: i.last,
                last: i.last,
            }),
            Point::Node(v) => Point::Node(*v),
        }
    }
    match extreme {
        Extreme::Max => {
            let near = |r: &Reading| r.values.iter().map(low).min();
            near(a) > near(b)
        }
        Extreme::Min => {
            let near = |r: &Reading| r.values.iter().map(high).max();
            near(a) < near(b)
        }
    }
}
