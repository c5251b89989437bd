package lint

// The rules below are checked by catalog.Scanner, because the loader needs them
// too. Their names, severities and texts live here with all the others.

// fileRules are about bytes and file names.
var fileRules = []Rule{
	{ID: "KL001", Slug: "invalid-utf8", Severity: grades("EEE"), Doc: "Every file is UTF-8. JSON encoders replace invalid bytes in silence, and the digest of what a client then reads no longer matches the manifest."},
	{ID: "KL002", Slug: "byte-order-mark", Severity: grades("EEE"), Fixable: true, Doc: "A file must not begin with a byte order mark. Readers look for the frontmatter in the first bytes and do not see it behind a mark."},
	{ID: "KL003", Slug: "mixed-line-endings", Severity: grades("WII"), Fixable: true, Doc: "A file uses LF or CRLF, not both. A mix comes from an editor or a checkout setting and makes digests differ between machines."},
	{ID: "KL004", Slug: "cr-only", Severity: grades("EEE"), Doc: "A carriage return ends a line only together with a line feed. Alone it hides the delimiters of the frontmatter."},
	{ID: "KL005", Slug: "control-character", Severity: grades("EEE"), Doc: "Text holds no control characters except tab and line endings. Terminals obey them and YAML refuses them."},
	{ID: "KL006", Slug: "file-too-large", Severity: grades("EWW"), Doc: "One read returns the whole file. Above 64 KiB that is costly for a reader, and above the limit (1 MiB unless set) the file is not parsed at all."},
	{ID: "KL007", Slug: "not-regular-file", Severity: grades("EII"), Doc: "Symbolic links, pipes and devices are not followed: embedding refuses them, and a link may lead out of the tree."},
	{ID: "KL008", Slug: "final-newline", Severity: grades("III"), Fixable: true, Doc: "A file ends with exactly one line feed, so that additions change one line only."},
	{ID: "KL009", Slug: "embed-drops-name", Severity: grades("E--"), Doc: "Names that begin with a dot or an underscore, and directories with a go.mod, are not content to the go command. Such a page would be on disk and missing in the program."},
	{ID: "KL010", Slug: "embed-bad-name", Severity: grades("EWW"), Doc: "A name must not hold a quote, a backquote or any of * < > ? | : and backslash. Embedding refuses them and common file systems cannot store them."},
}

// frontmatterRules are about the YAML block and the Agent Skills specification.
var frontmatterRules = []Rule{
	{ID: "KL100", Slug: "frontmatter-missing", Severity: grades("EEE"), Doc: "A SKILL.md begins with frontmatter: a line of three hyphens, YAML, and another such line. Nothing may stand before it, not even a blank line or a comment."},
	{ID: "KL101", Slug: "frontmatter-unclosed", Severity: grades("EEE"), Doc: "Frontmatter that is opened is closed by a line of exactly three hyphens. Without it the whole file would be YAML."},
	{ID: "KL102", Slug: "delimiter-not-whole-line", Severity: grades("EEE"), Fixable: true, Doc: "A delimiter is a whole line of exactly three hyphens. Blanks or a comment behind them, or a fourth hyphen, make it another line, and parsers disagree about which. Only blanks can be repaired without a decision."},
	{ID: "KL103", Slug: "yaml-syntax", Severity: grades("EEE"), Doc: "The block is YAML. Usual causes are an unquoted value that holds a colon and a space, a tab used to indent, a value that begins with a special character, and a quote that is not closed."},
	{ID: "KL104", Slug: "yaml-not-mapping", Severity: grades("EEE"), Doc: "Frontmatter is a mapping: one key and value per line. A list or a bare text has no names."},
	{ID: "KL105", Slug: "duplicate-key", Severity: grades("EEE"), Doc: "A key is set once. Parsers disagree whether the first or the last value counts."},
	{ID: "KL106", Slug: "multiple-documents", Severity: grades("EEE"), Doc: "Frontmatter is one YAML document. A document marker inside it hides the rest from most parsers."},
	{ID: "KL107", Slug: "yaml-reference", Severity: grades("EEE"), Doc: "Anchors, aliases, merge keys and tags are refused. They are never resolved, so what a person reads is what a host gets, and a small block cannot expand to a large one."},
	{ID: "KL108", Slug: "yaml-limits", Severity: grades("EEE"), Doc: "The block has at most 16 KiB and eight levels. Frontmatter is loaded for every skill at once and must stay small."},
	{ID: "KL109", Slug: "flow-collection", Severity: grades("WIW"), Doc: "Lists and mappings are written one item per line. The reference validator cannot parse the bracketed form, although it is YAML."},
	{ID: "KL110", Slug: "name-missing", Severity: grades("EEE"), Doc: "A skill has a name."},
	{ID: "KL111", Slug: "name-type", Severity: grades("EEE"), Fixable: true, Doc: "The name is a string. A bare 123, true or null is another type in YAML and must be quoted."},
	{ID: "KL112", Slug: "name-characters", Severity: grades("EEE"), Doc: "A name holds lower case letters, digits and hyphens only."},
	{ID: "KL113", Slug: "name-length", Severity: grades("EEE"), Doc: "A name has 1 to 64 characters."},
	{ID: "KL114", Slug: "name-hyphens", Severity: grades("EEE"), Doc: "A name neither begins nor ends with a hyphen and has no two in a row."},
	{ID: "KL115", Slug: "name-directory", Severity: grades("EEE"), Doc: "The name equals the name of the directory that holds the SKILL.md. Hosts build the address of a skill from one and look it up by the other."},
	{ID: "KL116", Slug: "name-non-ascii", Severity: grades("EWE"), Doc: "The specification allows a to z in names; its reference validator lets other lower case letters pass. They cannot stand in an address unescaped."},
	{ID: "KL117", Slug: "name-reserved", Severity: grades("-II"), Doc: "Some hosts refuse names that contain the name of a vendor."},
	{ID: "KL120", Slug: "description-missing", Severity: grades("EEE"), Doc: "A skill has a description: what it does and when to use it. It is all a host sees before it opens the skill."},
	{ID: "KL121", Slug: "description-type", Severity: grades("EEE"), Fixable: true, Doc: "The description is a string. Numbers, booleans and dates must be quoted."},
	{ID: "KL122", Slug: "description-empty", Severity: grades("EEE"), Doc: "The description says something."},
	{ID: "KL123", Slug: "description-length", Severity: grades("EEE"), Doc: "A description has at most 1024 characters, counted as code points of the decoded text."},
	{ID: "KL124", Slug: "description-markup", Severity: grades("WWW"), Doc: "A description has no tags and no control characters: hosts copy it into XML."},
	{ID: "KL130", Slug: "compatibility-type", Severity: grades("EEE"), Fixable: true, Doc: "Compatibility is a string."},
	{ID: "KL131", Slug: "compatibility-length", Severity: grades("EEE"), Doc: "Compatibility has 1 to 500 characters; leave the key out when there is nothing to say."},
	{ID: "KL132", Slug: "license-type", Severity: grades("WWW"), Doc: "License is a string: a name, or the name of a file."},
	{ID: "KL133", Slug: "metadata-not-map", Severity: grades("EEE"), Doc: "Metadata is a mapping."},
	{ID: "KL134", Slug: "metadata-value-type", Severity: grades("EWE"), Fixable: true, Doc: "Keys and values of metadata are strings. A bare version such as 1.0 is a number and loses its zero."},
	{ID: "KL135", Slug: "allowed-tools-type", Severity: grades("EWE"), Fixable: true, Doc: "Allowed tools are one string of names with spaces between them, not a list."},
	{ID: "KL136", Slug: "allowed-tools-served", Severity: grades("W--"), Doc: "A host that gets a skill from a server ignores allowed-tools unless the user agrees. Do not rely on it."},
	{ID: "KL137", Slug: "metadata-reserved-prefix", Severity: grades("WWW"), Doc: "Metadata keys under io.modelcontextprotocol/ belong to the protocol."},
	{ID: "KL140", Slug: "unknown-key", Severity: grades("EWE"), Fixable: true, Doc: "The specification knows name, description, license, compatibility, metadata and allowed-tools. Other keys belong under metadata. A key that differs from a known one only in case or an underscore can be renamed without a decision."},
	{ID: "KL141", Slug: "recipe-key", Severity: grades("W--"), Doc: "The frontmatter of a recipe holds a description and nothing else; other keys are read by nobody."},
	{ID: "KL142", Slug: "file-name-case", Severity: grades("EEE"), Doc: "The file is named exactly SKILL.md. Other spellings work on file systems that ignore case and are missing elsewhere."},
}

// treeRules are about a catalog as a whole.
var treeRules = []Rule{
	{ID: "KL200", Slug: "root-missing", Severity: grades("E--"), Doc: "A catalog has an index.md at its root: the page of the key /."},
	{ID: "KL201", Slug: "root-is-skill", Severity: grades("E--"), Doc: "The root of a catalog is no skill: a SKILL.md there would have no directory to be named after."},
	{ID: "KL202", Slug: "not-markdown", Severity: grades("E--"), Doc: "A catalog holds Markdown files with the extension .md and nothing else. Go files, testdata and other names that begin with a dot or an underscore are passed over."},
	{ID: "KL203", Slug: "key-collision", Severity: grades("E--"), Doc: "Every key has one page. A file beside a directory of the same name, or names that differ only in letter case or Unicode form, would share one."},
	{ID: "KL204", Slug: "key-too-long", Severity: grades("E--"), Doc: "A key has at most 1024 bytes; longer ones are refused before they are looked up."},
	{ID: "KL205", Slug: "key-unreachable", Severity: grades("E--"), Doc: "The parts of a key are lower case letters, digits and single hyphens. Lookups never decode, fold or expand, so other characters are hard or impossible to ask for."},
	{ID: "KL206", Slug: "topic-without-skill", Severity: grades("E--"), Doc: "A directory at the top has a SKILL.md. A deeper one without it gets a generated page, which is only noted."},
	{ID: "KL207", Slug: "empty-topic", Severity: grades("W--"), Doc: "A topic has at least one page below it; otherwise its page lists nothing."},
	{ID: "KL208", Slug: "no-summary", Severity: grades("E--"), Doc: "A recipe has a description for listings. Its first heading is used instead, which is only noted; without either there is nothing to list."},
	{ID: "KL209", Slug: "summary-too-long", Severity: grades("W--"), Doc: "The summary in a listing of children has at most 200 characters."},
	{ID: "KL210", Slug: "reserved-file", Severity: grades("E--"), Doc: "Only the root page is named index.md. Below it a directory's page is its SKILL.md."},
	{ID: "KL211", Slug: "depth", Severity: grades("W--"), Doc: "Keys have at most four segments; deeper pages are hard to find."},
	{ID: "KL212", Slug: "root-not-listing", Severity: grades("W--"), Doc: "The root page names every topic at the top, as a key or by a link."},
	{ID: "KL213", Slug: "duplicate-name", Severity: grades("W--"), Doc: "Skills have different names. Equal names are allowed in different directories, but hosts must then tell them apart by path."},
}

// servingRules are about what a client receives.
var servingRules = []Rule{
	{ID: "KL706", Slug: "frontmatter-json", Severity: grades("E--"), Doc: "Clients compare the frontmatter in a listing with the file, so every value must survive the way through JSON: no NaN, no number that readers round, no key that is not a string."},
}

// runRules are about the run itself.
var runRules = []Rule{
	{ID: "KL904", Slug: "unreadable-file", Severity: grades("EEE"), Doc: "A file or directory could not be read, or a page took longer than two seconds to parse. The others were still checked."},
}
