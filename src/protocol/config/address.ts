import { parseSecretReference } from '../notifications.ts';
import { text } from './settings.ts';

/** What a setting has to be that may not contain a secret itself. */
export const reference = 'a reference to a secret: "env:NAME" or "file:PATH"';

/** A setting that refers to a secret. */
export function secretReference() {
  return text().refine((given) => parseSecretReference(given) !== undefined, { error: reference });
}

/** Where to post something: a URL without anything secret in it, or a reference to one. */
export function address() {
  const error = `an http or https URL without user, password and query, or ${reference}`;
  return text().refine((given) => parseSecretReference(given) !== undefined || isPlainUrl(given), { error });
}

function isPlainUrl(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, username, password, search } = new URL(given);
  return ['http:', 'https:'].includes(protocol) && `${username}${password}${search}` === '';
}
