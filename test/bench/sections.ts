import { ackSection } from './ack/ack-section.ts';
import { receiveSection } from './ack/receive-section.ts';
import { featuresSection } from './features/features-section.ts';
import { growthSection } from './growth/growth-section.ts';
import { manySection } from './many/many-section.ts';
import { pruneSection } from './prune/prune-section.ts';
import type { Section } from './section.ts';
import { wholeWaySection } from './whole-way/whole-way-section.ts';
import { workSection } from './work/work-section.ts';

/** Everything that is measured, in the order of docs/benchmarks.md. */
export const sections: readonly Section[] = [
  ackSection,
  receiveSection,
  workSection,
  wholeWaySection,
  growthSection,
  pruneSection,
  manySection,
  featuresSection,
];
