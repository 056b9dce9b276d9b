export { type LoopModel, loopModel, takeFact, takeOwner, takePulse } from './model/loop-model.ts';
export { loopScreen } from './screens/loop-screen.ts';
export { ScreenSession } from './session/session.ts';
export type { Leaving, OwnLoop, ScreenPages, ScreenSetting } from './session/setting.ts';
export { type Line, lineText, lineWidth, type Size } from './text.ts';
export { paint, type Theme, themeFor } from './theme.ts';
export type { ScreenWords } from './words.ts';
