import type { Credentials } from './sign.ts';

/** The credentials in a file as AWS's own tools keep it; undefined if the profile is missing or incomplete. */
export function parseCredentialsFile(text: string, profile: string): Credentials | undefined {
  const values = new Map<string, string>();
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    const name = /^\s*\[\s*(?:profile\s+)?(.+?)\s*\]\s*$/.exec(line)?.[1];
    if (name !== undefined) section = name;
    const [, key, value] = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (section === profile && key !== undefined && value !== undefined) values.set(key.toLowerCase(), value);
  }
  return toCredentials({
    id: values.get('aws_access_key_id'),
    secret: values.get('aws_secret_access_key'),
    token: values.get('aws_session_token'),
  });
}

/** The credentials in the variables that AWS's own tools read; undefined if there are none. */
export function credentialsIn(env: Readonly<Record<string, string | undefined>>): Credentials | undefined {
  return toCredentials({
    id: env['AWS_ACCESS_KEY_ID'],
    secret: env['AWS_SECRET_ACCESS_KEY'],
    token: env['AWS_SESSION_TOKEN'],
  });
}

interface Parts {
  readonly id: string | undefined;
  readonly secret: string | undefined;
  readonly token: string | undefined;
}

function toCredentials({ id = '', secret = '', token = '' }: Parts): Credentials | undefined {
  if (id === '' || secret === '') return undefined;
  return { accessKeyId: id, secretAccessKey: secret, ...(token === '' ? {} : { sessionToken: token }) };
}
