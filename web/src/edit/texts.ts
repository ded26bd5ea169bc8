import { texts as shared } from '../words/texts';

/** Changing arguments before they run. */
const edit = {
  open: 'Change arguments…',
  title: (tool: string) => `Change the arguments of ${tool}`,
  label: 'Arguments as JSON',
  loading: 'Opening the editor…',
  failed: 'The editor could not be loaded. Close this and try again.',
  keys: 'Tab leaves the editor; indent with Ctrl+].',
  schema: 'Input schema',
  schemaLoading: 'Loading the input schema…',
  noSchema: 'There is no input schema for this tool here. The gateway still checks what you send.',
  changes: 'Changes',
  none: 'No changes yet.',
  removed: 'removed',
  added: 'new',
  notJSON: (why: string) => `This is not JSON: ${why}`,
  notObject: 'Enter one JSON object: { … }',
  faults: {
    null: (path: string) => `${path}: null can’t be sent; remove the property instead.`,
    masked: (path: string) =>
      `${path}: the masked value is not known here. Leave it exactly as it is, or enter a complete new value.`,
    inexact: (path: string) => `${path}: this page can’t send that many digits exactly.`,
  },
  refused: (why: string) => `Not accepted; the request is still waiting: ${why}`,
  approve: 'Approve with these changes',
  reset: 'Reset',
  back: 'Back',
};

export const texts = { ...shared, edit };
