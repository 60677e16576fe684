import type { View } from './frame.ts';
import { openScreen, type Screen } from './screen.ts';

/** How everything is shown: plain lines, and in a terminal a live screen between the start and the end. */
export interface Display {
  /** One line, where no screen is open. */
  readonly say: (line: string) => void;
  /** From now on `view()` is what there is to see. */
  readonly open: (view: () => View) => void;
  /** Everything accepts work. Said once. */
  readonly ready: (url: string, tryNext: View['tryNext']) => void;
  /** Back to plain lines. */
  readonly close: () => void;
}

export function createDisplay(output: NodeJS.WriteStream, env: Readonly<NodeJS.ProcessEnv>): Display {
  const live = output.isTTY && env['TERM'] !== 'dumb';
  let screen: Screen | null = null;
  const say = (line: string): void => {
    if (!screen) output.write(`${line}\n`);
  };
  return {
    say,
    open(view) {
      if (live) screen = openScreen(output, view);
    },
    ready(url, tryNext) {
      // Exactly this line: scripts wait for it.
      say(`ready ${url}`);
      say('try next, in another terminal, in this folder:');
      for (const [command, what] of tryNext) say(`  ${what ? `${command}   # ${what}` : command}`);
    },
    close() {
      screen?.close();
      screen = null;
    },
  };
}
