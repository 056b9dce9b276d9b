const team = 'https://git.example.org/team';

/** What a worker trusts, what it is asked for, and whether that is trusted: the database has to say the same. */
export const trustCases: readonly (readonly [readonly string[], string, boolean])[] = [
  [['all'], 'https://anywhere.example/x', true],
  [[`${team}/tool.git`], `${team}/tool.git`, true],
  [[team], `${team}/tool.git`, true],
  [[`${team}/`], `${team}/tool.git`, true],
  [['git@git.example.org:team'], 'git@git.example.org:team/tool', true],
  [['git@git.example.org'], 'git@git.example.org:team/tool', true],
  [[team], `${team}-of-another/tool.git`, false],
  [['https://git.example.org'], 'https://git.example.org.evil.example/tool', false],
  [[`${team}/`], `${team}/../another/tool.git`, false],
  [['C:\\team\\'], 'C:\\team\\..\\another', false],
  [[`${team}/../another/tool.git`], `${team}/../another/tool.git`, true],
  [[`${team}/%`], `${team}/tool.git`, false],
  [[''], `${team}/tool.git`, false],
  [[], `${team}/tool.git`, false],
];
