/** The tasks of a Taskfile with their lines. It is read by its indentation: what is not a usual Taskfile has none. */
export function tasksIn(text: string): ReadonlyMap<string, readonly (readonly string[])[]> {
  const tasks = new Map<string, readonly (readonly string[])[]>();
  let depth: number | undefined;
  let open: string[] = [];
  for (const line of blockOf(text, 'tasks')) {
    const indent = line.length - line.trimStart().length;
    depth ??= indent;
    const name = indent === depth ? /^["']?([^"'\s#][^"']*?)["']?:(?:\s|$)/.exec(line.trim())?.[1] : undefined;
    if (name !== undefined) {
      open = [];
      tasks.set(name, [open]);
    }
    open.push(line.trim());
  }
  return tasks;
}

/** What has a say in how every task is run. */
export function taskSettings(text: string): readonly string[] {
  return ['set', 'shopt', 'env', 'dotenv', 'includes'].flatMap((name) => blockOf(text, name));
}

/** The lines of a key at the left margin. */
function blockOf(text: string, name: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  const start = lines.findIndex((line) => line.startsWith(`${name}:`));
  if (start === -1) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => !/^[\s-]/.test(line));
  const value = lines[start]?.slice(name.length + 1).trim() ?? '';
  return [...(value === '' ? [] : [value]), ...(end === -1 ? rest : rest.slice(0, end))];
}
