import type { SettingForm } from '../protocol/index.ts';

/**
 * Parses the text of a variable or a flag as a value. Invalid text is passed on unchanged,
 * so that the schema refuses it with the same message as for every other source.
 */
export function readSettingText(form: SettingForm, text: string): unknown {
  switch (form) {
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case 'toggle':
      return toggles[text.toLowerCase()] ?? text;
    case 'list':
      return readJson(text, Array.isArray) ?? [text];
    case 'command':
      return readJson(text, Array.isArray) ?? text;
    case 'map':
      return readJson(text, (value) => typeof value === 'object') ?? text;
    case 'text':
      return text;
  }
}

const toggles: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

// "[ -f done ]" is a valid shell line: text that does not parse is not JSON.
function readJson(text: string, isWanted: (value: unknown) => boolean): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isWanted(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
