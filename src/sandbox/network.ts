/** The proxy through which a machine reaches the web: its host, its port, and its login in base64; empty without one. */
export function upstreamProxy(env: NodeJS.ProcessEnv): readonly string[] | 'unusable' {
  const given = env['HTTPS_PROXY'] || env['https_proxy'] || env['HTTP_PROXY'] || env['http_proxy'] || '';
  if (given === '') return [];
  const address = URL.parse(given.includes('://') ? given : `http://${given}`);
  if (address === null || address.protocol !== 'http:' || address.hostname === '') return 'unusable';
  const { username, password, hostname, port } = address;
  const login = username === '' ? [] : [`${decodeURIComponent(username)}:${decodeURIComponent(password)}`];
  return [hostname, port === '' ? '80' : port, ...login.map((text) => Buffer.from(text).toString('base64'))];
}

const maxDenied = 20;

/** The hosts that a proxy refused, each once. */
export function deniedHosts(text: string): readonly string[] {
  const hosts = text.split('\n').filter((line) => /^\S+:\d+$/.test(line));
  return [...new Set(hosts)].slice(0, maxDenied);
}
