import { isLoopId } from './loop-id.ts';
import { minFormLength } from './redact-forms.ts';
import type { Secret } from './redact-scan.ts';

const secretNames = [
  /(^|_)(API_?KEY|KEY|PAT|PWD|PASS)$/,
  /(^|_)(TOKEN|CREDENTIALS?|AUTH)$/,
  /(TOKEN|AUTH)_(FILE|JSON|VALUE)$/,
  /SECRET|PASSW(OR)?D|PASSPHRASE|PRIVATE_?KEY|ACCESS_?KEY|AUTH_?TOKEN/,
  /^OTEL_EXPORTER_OTLP_([A-Z]+_)?HEADERS$/,
];

/** Whether a variable of this name holds a secret. */
export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  return upper !== 'PWD' && secretNames.some((pattern) => pattern.test(upper));
}

/**
 * The secrets in variables: the values of variables with a secret's name, and the passwords in URLs in any of
 * them. A short or common value, a path or one of ralphd's own names is no secret: it would match everywhere.
 */
export function secretsIn(variables: Readonly<Record<string, string | undefined>>): readonly Secret[] {
  const surroundings = new Set(ordinaryVariables.map((name) => variables[name]));
  return Object.entries(variables).flatMap(([name, value = '']) =>
    [...(isSecretName(name) ? [value.trim(), ...headersIn(name, value)] : []), ...passwordsIn(value)]
      .filter((secret) => !isCommon(secret) && !surroundings.has(secret))
      .map((secret) => ({ name, value: secret })),
  );
}

const ordinaryVariables = ['USER', 'LOGNAME', 'USERNAME', 'HOME', 'HOSTNAME', 'SHELL', 'PWD', 'TMPDIR', 'PATH'];

/** The values in a list of headers, such as `authorization=Bearer%20abc,x-key=def`, also without the word before a token. */
function headersIn(name: string, list: string): readonly string[] {
  if (!name.toUpperCase().endsWith('_HEADERS')) return [];
  return list.split(',').flatMap((pair) => {
    const value = decoded(pair.slice(pair.indexOf('=') + 1).trim());
    return [value, value.replace(/^[a-z]+ /i, '')];
  });
}

const minTokenLength = 16;

/** The passwords, and tokens in place of a user, in the URLs of a text: `https://user:password@host`. */
function passwordsIn(text: string): readonly string[] {
  if (!text.includes('://') || !text.includes('@')) return [];
  return [...text.matchAll(/:\/\/([^\s/?#:@]*)(?::([^\s/?#]*))?@/g)].flatMap(([, user = '', password = '']) => {
    const given = password === '' && user.length >= minTokenLength ? user : password;
    return given === '' ? [] : [given, decoded(given)];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isCommon(value: string): boolean {
  return (
    value.length < minFormLength ||
    /^\d{1,11}$/.test(value) ||
    /^(.)\1*$/su.test(value) ||
    commonWords.includes(value.toLowerCase()) ||
    isPath(value) ||
    isLoopId(value)
  );
}

// A base64 key may begin with a slash, so only what is certainly a path counts as one.
function isPath(value: string): boolean {
  return (
    /^(~|\.\.?)\//.test(value) ||
    /^\/(usr|bin|sbin|etc|home|users|opt|var|tmp|root|private|run|dev|mnt|srv)(\/|$)/i.test(value) ||
    /^\/[\w-]+\/[\w./-]*\.\w{1,5}$/.test(value)
  );
}

/** Common placeholders for secrets, and words that ralphd writes itself. */
const commonWords = `
  anonymous automatic changeit changeme development disabled external fallback interactive internal keychain
  localhost optional password placeholder postgres postgresql production redacted required undefined unlimited username

  aiwg-external aiwg-internal attended breakpoint budget_limit completed completing completion condition configuration context_overflow continue
  contradicted coverage critical decision degradation environment executing exploration failures files_changed finalizing interpreter interrupt
  interrupted interval iteration_failures loop_end loop_start iteration_limit max_cost max_files_changed max_iterations max_lines_changed max_output_tokens
  max_reboots max_time max_tokens max_tool_calls no_progress not_executable not_found not_started observation on_error on_file_change on_mode_switch on_no_progress
  on_progress on_test_failure on_test_success output_limit packages post_hooks post_iteration post_reboot post_session pre_hooks pre_iteration
  pre_reboot pre_session
  programs protected_files provider_limit question ralph-wiggum rate_limited rebooting recovery_failed rejected rollback runner_lost same_error
  schedule session_timeout signalled starting tachikoma tampered test_failures test_regression timed_out transient turn_limit ultraplan
  unattended unchanged unverifiable usage_limited user_abort user_pause verified verifying
`;
