import type { Section } from '../section.ts';

/**
 * What a feature costs: each with and without, a ratio each. Still empty: effect receipts, failure groups and tracing come here
 * when they can be switched off, as scenarios of one worker process like those of work-section.ts.
 */
export const featuresSection: Section = {
  name: 'features',
  title: 'Cost of features: nothing to compare yet',
  measure: () => Promise.resolve(),
  ratios: [],
  plots: [],
};
