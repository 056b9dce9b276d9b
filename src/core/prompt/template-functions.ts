import type { TemplateValue } from './expression.ts';

/** Turns values into another one. Returns undefined for values that it cannot use. */
export type TemplateHelper = (...args: readonly TemplateValue[]) => TemplateValue;

/** The helpers of every template. */
export const templateHelpers: Readonly<Record<string, TemplateHelper>> = {
  uppercase: (value) => textOf(value).toUpperCase(),
  lowercase: (value) => textOf(value).toLowerCase(),
  trim: (value) => textOf(value).trim(),
  default: (value, fallback) => (isMissing(value) || value === '' ? fallback : value),
  length: lengthOf,
  join: (value, separator = ', ') => (Array.isArray(value) ? joined(value, textOf(separator)) : undefined),
  dateformat: (value, format = 'YYYY-MM-DD') => dateText(value, textOf(format)),
  add: (...values) => combine(values, (left, right) => left + right),
  subtract: (...values) => combine(values, (left, right) => left - right),
};

/** Whether there is no value. */
export function isMissing(value: TemplateValue): value is null | undefined {
  return value === null || value === undefined;
}

/** An empty text, 0, false, an empty list or mapping, and nothing at all are false. */
export function isTrue(value: TemplateValue): boolean {
  if (isMissing(value) || typeof value !== 'object') return Boolean(value);
  if (Array.isArray(value)) return value.length > 0;
  return Object.keys(value).length > 0;
}

/** A value as text. Lists and mappings are written as JSON. */
export function textOf(value: TemplateValue): string {
  if (isMissing(value)) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function lengthOf(value: TemplateValue): number {
  if (isMissing(value)) return 0;
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' ? Object.keys(value).length : Array.from(String(value)).length;
}

/** A prompt cannot be longer. */
const maxJoined = 8 * 1024 * 1024;

function joined(values: readonly TemplateValue[], separator: string): string {
  if (values.length * separator.length > maxJoined) throw new RangeError('the text is too long');
  return values.map(textOf).join(separator);
}

function combine(values: readonly TemplateValue[], by: (left: number, right: number) => number): number | undefined {
  const numbers = values.map(numberOf);
  if (numbers.length === 0 || numbers.some((each) => Number.isNaN(each))) return undefined;
  return numbers.reduce(by);
}

function numberOf(value: TemplateValue): number {
  if (typeof value === 'string' && value.trim() !== '') return Number(value);
  return typeof value === 'number' ? value : Number.NaN;
}

/** In UTC. An instant is a text such as `2026-03-01T09:30:00Z`, or a number of milliseconds. */
function dateText(value: TemplateValue, format: string): string | undefined {
  const instant = typeof value === 'number' ? new Date(value) : new Date(textOf(value));
  if (Number.isNaN(instant.getTime())) return undefined;
  const iso = instant.toISOString();
  const [year, rest] = [iso.slice(0, -20), iso.slice(-20)];
  const parts: Readonly<Record<string, string>> = {
    YYYY: year,
    MM: rest.slice(1, 3),
    DD: rest.slice(4, 6),
    HH: rest.slice(7, 9),
    mm: rest.slice(10, 12),
    ss: rest.slice(13, 15),
  };
  return format.replaceAll(/YYYY|MM|DD|HH|mm|ss/gu, (part) => parts[part] ?? part);
}
