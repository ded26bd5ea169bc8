import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { gateway, page, storeOf } from '../test/page';
import { ToolSchema } from './ToolSchema';

const path = 'GET /api/approvals/a1/tool';
const shown = () => screen.getByTestId('tool-schema').textContent;

describe('what a tool takes', () => {
  it('stands beside the arguments, with hidden characters shown', async () => {
    gateway({
      [path]: {
        body: {
          name: 'shell',
          description: 'Runs a command\u202e',
          schema: { type: 'object', required: ['command'] },
        },
      },
    });
    page(storeOf(), <ToolSchema approvalId="a1" />);
    await screen.findByText(/Runs a command/);
    expect(shown()).toContain('Runs a command⟨U+202E⟩');
    expect(shown()).toContain('"required": [');
  });

  it.each([404, 500])('may not be told (%d), and the editor works all the same', async (status) => {
    gateway({ [path]: { status } });
    page(storeOf(), <ToolSchema approvalId="a1" />);
    await screen.findByText(/There is no input schema for this tool/);
  });
});
