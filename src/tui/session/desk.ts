import type { Page } from '../screens/page-screen.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Draft } from './guide-input.ts';
import type { LoopFeed } from './loop-feed.ts';
import type { LoopsFeed } from './loops-feed.ts';
import type { OrderEntry } from './menu.ts';
import type { Leaving, ScreenSetting } from './setting.ts';

/** What is on the screen besides the loops themselves. */
export interface UiState {
  view: 'loop' | 'loops' | 'help' | 'page';
  /** What `esc` returns to from help or a page. */
  back: 'loop' | 'loops';
  chosenLoop?: string | undefined;
  chosenIteration?: number | undefined;
  anchor?: number | undefined;
  notice?: string | undefined;
  mode: 'keys' | 'menu' | 'confirm' | 'guide';
  confirming?: OrderEntry | undefined;
  menu: readonly OrderEntry[];
  /** Kept by loop, so that leaving the input loses nothing. */
  readonly drafts: Map<string, Draft>;
  page?: Page | undefined;
}

/** What keys act on. */
export interface Desk {
  readonly setting: ScreenSetting;
  readonly ui: UiState;
  readonly loops: LoopsFeed;
  readonly terminal: Terminal;
  /** The loop that is followed. */
  readonly feed: LoopFeed | undefined;
  /** Shows a loop, which may be gone or unreadable by now. */
  tryOpen(loopId: string): void;
  show(view: UiState['view']): void;
  leave(leaving: Leaving): void;
  /** Something has changed that is not due to the key just pressed. */
  changed(): void;
}
