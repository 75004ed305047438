" Vim syntax file
" Language: LQ, the query language of latweave

if exists("b:current_syntax")
  finish
endif

syntax case ignore
syntax iskeyword @,48-57,_,-,192-255

syntax keyword lqStatement DIMENSION SYNONYM ALIAS INSTANCE UNIT FACT DEFECT RETRACT LET MEET
syntax keyword lqStatement COMPARE ABSTAIN READ EXPLAIN EXPECT CHECK WIDTH INDEPENDENCE CONCEPTS IMPLICATIONS SUGGEST SHOW
syntax keyword lqStatement DESCRIBE OPEN USE LOAD PATTERN
syntax keyword lqOperator AND OR NOT IN HAS POSSIBLY RETURN BY
syntax keyword lqKeyword AKA AS AT COLUMN COMPLETE CONFIDENCE CONTEXT COUNT CYCLE DATE DIMENSIONS DOCUMENTS
syntax keyword lqKeyword DUPLICATE EDGES ENTITY EQUAL FROM GREATER INCOMPARABLE INSTANCES INVERSE JOIN JSONL KEY LANGUAGE LESS
syntax keyword lqKeyword LINE LQ MANY MAX MIN NTRIPLES NUMBER OBO OF OMIT ONE OVERLAPS QUESTION QUOTE
syntax keyword lqKeyword RDF ROWS SOURCE STRICT SUPPORT TABLE TAXONOMY TEXT TOP TRIPLES UNDEFINED WITHIN WORDNET
syntax keyword lqConstant TRUE FALSE NULL

syntax match lqNumber "\v[-+]?<\d+(\.\d+)?>"
syntax match lqDate "\v[-+]?<\d{4}(-\d\d){0,2}>"
syntax match lqSign "[<>!]\==\|[<>]\|\.\."
syntax match lqParameter "\$\w\+"
syntax match lqId "@\w\+"
syntax region lqString start=+@\="+ skip=+\\.+ end=+"+ contains=lqEscape,@Spell
syntax match lqEscape "\\\([\"\\n]\|u{\x\+}\)" contained
syntax match lqComment "\(^\|\s\)\zs--.*$" contains=@Spell

highlight default link lqStatement Statement
highlight default link lqOperator Operator
highlight default link lqKeyword Type
highlight default link lqConstant Constant
highlight default link lqNumber Number
highlight default link lqDate Number
highlight default link lqSign Operator
highlight default link lqParameter Identifier
highlight default link lqId Identifier
highlight default link lqString String
highlight default link lqEscape SpecialChar
highlight default link lqComment Comment

let b:current_syntax = "lq"
