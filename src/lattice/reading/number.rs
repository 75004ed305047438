use super::Reading;
use crate::lattice::number::{NumberError, NumberInterval};
/// x
pub fn number_from_text(text: &str) -> Result<Reading<NumberInterval>, NumberError> {
    NumberInterval::parse(text).map(Reading::clear)
}
