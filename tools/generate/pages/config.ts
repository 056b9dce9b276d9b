import { configJsonSchema, plannedSettings } from '../../../src/protocol/index.ts';
import { describeType, fields, type JsonSchema } from '../json-schema.ts';
import { code, page, plain, table } from '../markdown.ts';

/** Every setting with its type, default and meaning. */
export function configPage(): string {
  const schema = configJsonSchema() as JsonSchema;
  const planned = plannedSettings.map(({ path }) => path);
  const shown = fields(schema).filter(({ name }) => !planned.includes(name));
  const rows = shown.map(({ name, schema: setting }) => [
    code(name),
    setting.properties === undefined ? code(describeSetting(setting)) : 'group',
    describeDefault(setting),
    plain(setting.description ?? ''),
  ]);
  return page(
    '# Configuration',
    'Settings come from, strongest first: flags, `RALPHD_*` variables, `ralphd.yml` in the project, the user’s configuration folder, and these defaults. A key that is not listed here is an error. Editors can check a file against `ralphd/config.schema.json`.',
    table(['Setting', 'Type', 'Default', 'Meaning'], rows),
  );
}

function describeSetting(setting: JsonSchema): string {
  const isDuration = setting.type === 'string' && (setting.examples ?? []).includes('5s');
  return isDuration ? 'duration' : describeType(setting);
}

function describeDefault(setting: JsonSchema): string {
  if (setting.default === undefined || setting.properties !== undefined) return '';
  return code(typeof setting.default === 'string' ? setting.default : JSON.stringify(setting.default));
}
