/** What a call of a tool does to the work: it only looks at it, it neither looks nor changes, or it may change it. */
export type ToolKind = 'read' | 'neutral' | 'act';

/** Names of tools in every agent, and the kinds that ACP uses instead of names; in lower case. */
const reading = new Set([
  'codesearch',
  'fetch',
  'glob',
  'google_web_search',
  'grep',
  'grep_search',
  'image_view',
  'list',
  'list_directory',
  'ls',
  'lsp',
  'notebookread',
  'read',
  'read_file',
  'read_many_files',
  'search',
  'search_file_content',
  'toolsearch',
  'view',
  'web_fetch',
  'web_search',
  'webfetch',
  'websearch',
]);

const neutral = new Set([
  'report_intent',
  'think',
  'todoread',
  'todowrite',
  'update_plan',
  'update_todo',
  'write_todos',
]);

/** The kind of a tool. One that is not known may do anything. */
export function toolKind(name: string): ToolKind {
  const plain = name.toLowerCase();
  if (reading.has(plain)) return 'read';
  return neutral.has(plain) ? 'neutral' : 'act';
}
