// House rules that no stock rule expresses. Loaded by .oxlintrc.json.

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

/** Only store/ and process/ write files; elsewhere reading functions are imported by name. */
const noFileWrites = {
  create(context) {
    const isFs = (source) => source?.type === 'Literal' && /^(node:)?fs(\/promises)?$/.test(source.value);
    const refuse = (node) =>
      context.report({
        node,
        message: 'Only store/ and process/ write files: import a reading function by name, or use what they offer.',
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

/** Everything exported says in a doc comment what it is for. */
const documentedExports = {
  create(context) {
    const isDocumented = (node) =>
      context.sourceCode
        .getCommentsBefore(node)
        .some((comment) => comment.type === 'Block' && comment.value.startsWith('*'));
    return {
      ExportNamedDeclaration(node) {
        if (node.declaration === null || isDocumented(node)) return;
        context.report({ node: node.declaration, message: 'Say in a doc comment what this export is for.' });
      },
    };
  },
};

export default {
  meta: { name: 'house' },
  rules: {
    'documented-exports': documentedExports,
    'no-ambient-date': noAmbientDate,
    'no-file-writes': noFileWrites,
  },
};
