import type { OptionDefinition } from './definition.ts';

/** The options of `ralphd guide`. */
export const guideOptions: readonly OptionDefinition[] = [
  { name: 'once', summary: 'Only for the next iteration; delivered again if that one is skipped or has no result.' },
  { name: 'file', value: 'FILE|-', summary: 'Read the text from a file or from stdin.' },
  { name: 'list', summary: 'List the guidance with its numbers, senders and iterations.' },
  { name: 'drop', value: 'N|all', summary: 'Take back the guidance of this number, or all of it.' },
];
