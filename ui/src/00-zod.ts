// Must be the first import: the schemas of the bridge are built while its module
// loads, and probe for eval unless told not to. A strict host reports the probe
// as a violation of its policy.
(globalThis as { __zod_globalConfig?: { jitless: boolean } }).__zod_globalConfig = { jitless: true };
