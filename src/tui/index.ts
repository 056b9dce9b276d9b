export { type LoopModel, loopModel, takeFact, takePulse } from '../views/index.ts';
export { loopScreen } from './screens/loop-screen.ts';
export { ScreenSession } from './session/session.ts';
export type { Leaving, OwnLoop, ScreenPages, ScreenSetting } from './session/setting.ts';
export { type Line, lineText, lineWidth, type Size } from './text.ts';
export { paint } from './theme.ts';
export type { ScreenWords } from './words.ts';
