//! The kinds of sections.

/// What a section holds, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub(super) enum Part {
    Catalogue = 1,
    Names,
    Ids,
    Aliases,
    NameIndex,
    Terms,
    Numbers,
    Dates,
    Texts,
    Positive,
    Negative,
    EvidenceIndex,
    EvidenceBlocks,
    Sources,
    Defects,
    ContentHash,
    Mentions,
    Documents,
    DocumentBlocks,
    /// What has changed since the other sections were written.
    Delta,
}

impl Part {
    /// The sections that every lattice has, whatever its dimensions.
    pub(super) const ALWAYS: [Part; 9] = [
        Part::Catalogue,
        Part::Names,
        Part::Ids,
        Part::Aliases,
        Part::NameIndex,
        Part::EvidenceIndex,
        Part::EvidenceBlocks,
        Part::Sources,
        Part::ContentHash,
    ];

    /// Every kind of section.
    const ALL: [Part; 20] = [
        Part::Catalogue,
        Part::Names,
        Part::Ids,
        Part::Aliases,
        Part::NameIndex,
        Part::Terms,
        Part::Numbers,
        Part::Dates,
        Part::Texts,
        Part::Positive,
        Part::Negative,
        Part::EvidenceIndex,
        Part::EvidenceBlocks,
        Part::Sources,
        Part::Defects,
        Part::ContentHash,
        Part::Mentions,
        Part::Documents,
        Part::DocumentBlocks,
        Part::Delta,
    ];

    /// Whether there is one for each dimension.
    pub(super) fn is_of_a_dimension(self) -> bool {
        use Part as P;
        matches!(
            self,
            P::Terms | P::Numbers | P::Dates | P::Texts | P::Positive | P::Negative | P::Defects
        )
    }

    /// The part of this number, as it is written.
    pub(super) fn of(number: u32) -> Part {
        let part = Part::ALL.into_iter().find(|part| *part as u32 == number);
        part.unwrap_or(Part::Catalogue)
    }

    pub(super) fn described(self) -> &'static str {
        match self {
            Part::Catalogue => "catalogue",
            Part::Names => "names",
            Part::Ids => "ids",
            Part::Aliases => "aliases",
            Part::NameIndex => "index of names",
            Part::Terms => "taxonomy",
            Part::Numbers => "numbers",
            Part::Dates => "dates",
            Part::Texts => "strings",
            Part::Positive => "facts",
            Part::Negative => "denials",
            Part::EvidenceIndex => "index of source texts",
            Part::EvidenceBlocks => "source texts",
            Part::Sources => "sources of instances",
            Part::Defects => "defects",
            Part::ContentHash => "content hash",
            Part::Mentions => "mentions of instances",
            Part::Documents => "index of kept documents",
            Part::DocumentBlocks => "kept documents",
            Part::Delta => "changes",
        }
    }
}
