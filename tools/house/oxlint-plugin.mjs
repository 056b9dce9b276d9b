// House rules that no stock rule expresses. Loaded by .oxlintrc.json.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const clock = 'Reads the clock: take the instant as an argument.';

/** `new Date()` and `Date()` read the clock; `new Date(instant)` does not. */
const noAmbientDate = {
  create(context) {
    const isDate = (node) => node.type === 'Identifier' && node.name === 'Date';
    return {
      NewExpression(node) {
        if (isDate(node.callee) && node.arguments.length === 0) context.report({ node, message: clock });
      },
      CallExpression(node) {
        if (isDate(node.callee)) context.report({ node, message: clock });
      },
    };
  },
};

/** What every room may take from node:fs: the functions that only look, and types. */
const readers = new Set(
  `access accessSync existsSync constants stat statSync lstat lstatSync statfs
   readFile readFileSync readdir readdirSync readlink readlinkSync realpath realpathSync
   createReadStream glob watch BigIntStats Dirent FSWatcher ReadStream Stats`.split(/\s+/),
);

/** Only files/ and process/ write files; elsewhere reading functions are imported by name. */
const noFileWrites = {
  create(context) {
    const isFs = (source) => source?.type === 'Literal' && /^(node:)?fs(\/promises)?$/.test(source.value);
    const refuse = (node) =>
      context.report({
        node,
        message: 'Only files/ and process/ write files: import a reading function by name, or use what they offer.',
      });
    const refuseExport = (node) => {
      if (isFs(node.source)) refuse(node);
    };
    return {
      ImportDeclaration(node) {
        if (!isFs(node.source)) return;
        for (const part of node.specifiers) if (!readers.has(part.imported?.name)) refuse(part);
      },
      ImportExpression: refuseExport,
      ExportNamedDeclaration: refuseExport,
      ExportAllDeclaration: refuseExport,
    };
  },
};

const reExport = /export\s+(?:type\s+)?(?:\*|\{(?<names>[^}]*)\})\s*from\s+'(?<source>[^']+)'/g;

/** What each index.ts re-exports: from which file, under which of its names; `*` for all of them. */
const doors = new Map();

function doorAt(index) {
  const known = doors.get(index);
  if (known !== undefined) return known;
  const door = new Map();
  for (const { groups } of existsSync(index) ? readFileSync(index, 'utf8').matchAll(reExport) : []) {
    const file = path.resolve(path.dirname(index), groups.source);
    const names = groups.names?.split(',').map(
      (part) =>
        part
          .trim()
          .replace(/^type\s+/, '')
          .split(/\s/)[0],
    ) ?? ['*'];
    door.set(file, [...(door.get(file) ?? []), ...names]);
  }
  doors.set(index, door);
  return door;
}

/** The names of a file that other rooms see: those that an index.ts above it re-exports, and every name of a port. */
function namesForOthers(file) {
  if (/\/runner\/ports(?:\.ts$|\/)/.test(file)) return ['*'];
  const names = [];
  for (let folder = path.dirname(file); /\/src(?:\/|$)/.test(folder); folder = path.dirname(folder)) {
    names.push(...(doorAt(path.join(folder, 'index.ts')).get(file) ?? []));
  }
  return names;
}

/** What other rooms use, ports and the public library say in a doc comment what they are for. */
const documentedExports = {
  create(context) {
    const expected = namesForOthers(context.filename);
    const isDocumented = (node) =>
      context.sourceCode
        .getCommentsBefore(node)
        .some((comment) => comment.type === 'Block' && comment.value.startsWith('*'));
    const namesOf = ({ id, declarations = [] }) =>
      [id, ...declarations.map((each) => each.id)].map((each) => each?.name);
    return {
      ExportNamedDeclaration(node) {
        if (node.declaration === null || isDocumented(node)) return;
        if (!expected.includes('*') && !namesOf(node.declaration).some((name) => expected.includes(name))) return;
        context.report({
          node: node.declaration,
          message: 'Other rooms use this: say in a doc comment what it is for.',
        });
      },
    };
  },
};

const command =
  /\bralphd (?:run|resume|status|explain|ls|pause|stop|abort|skip|retry|reboot|guide|proof|export|backup|restore|recover|gc|doctor|agents|demo)\b/;
const flag = /(?:^|[\s"'(])--(?:[a-z]|$)/;

/** The core returns data; which command or option the next step is, each face says for itself. */
const noCommandLines = {
  create(context) {
    const check = (node, text) => {
      if (!command.test(text) && !flag.test(text)) return;
      context.report({
        node,
        message: 'Names a command or a flag of the command line: return data, and let each face phrase it.',
      });
    };
    return {
      Literal(node) {
        // A bare flag is a word of somebody else's command line, which the core parses.
        if (typeof node.value === 'string' && !/^--[\w-]+$/.test(node.value)) check(node, node.value);
      },
      TemplateElement(node) {
        check(node, node.value.cooked ?? '');
      },
    };
  },
};

export default {
  meta: { name: 'house' },
  rules: {
    'documented-exports': documentedExports,
    'no-ambient-date': noAmbientDate,
    'no-command-lines': noCommandLines,
    'no-file-writes': noFileWrites,
  },
};
