export { type SettingDifference, type SettingValues, settingDifferences, withSettings } from './changes.ts';
export { parseGiven } from './check-source.ts';
export type { Environment, UnknownVariable } from './environment.ts';
export type { ConfigFlags } from './flags.ts';
export { readFrontMatter } from './front-matter.ts';
export { type ConfigPlaces, type LoadedConfig, loadConfig, type Provenance } from './load.ts';
export { loadPlaces } from './load-places.ts';
export { fillFromPrompt, type Given, givenIn, givenSettings } from './prompt-layer.ts';
export { type SourceKind, valueAt } from './source.ts';
