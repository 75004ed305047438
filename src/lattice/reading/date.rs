use super::Reading;
use crate::lattice::date::{DateError, DateInterval};
/// x
pub fn date_from_text(text: &str) -> Result<Reading<DateInterval>, DateError> {
    DateInterval::parse(text).map(Reading::clear)
}
