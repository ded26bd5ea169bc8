import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { golden } from '../test/golden';
import { page, storeOf } from '../test/page';
import type { ApprovalRequest } from '../wire/wire';
import { CardFacts } from './CardFacts';

const asked = golden('approvalRequest', 'approvalRequest').data;

function show(sandbox: ApprovalRequest['sandbox']) {
  const request: ApprovalRequest = { ...asked };
  if (sandbox) request.sandbox = sandbox;
  else delete request.sandbox;
  page(storeOf(), <CardFacts request={request} showSession={false} />);
}

describe('how a command would run', () => {
  it.each<[ApprovalRequest['sandbox'], string]>([
    [{ kind: 'none', network: true }, 'without a sandbox'],
    [{ kind: 'bubblewrap', network: false }, 'no network'],
    [
      { kind: 'bubblewrap', network: true, write: ['/srv'] },
      'the network is open to it; it also writes in /srv',
    ],
    [{ kind: 'unheard-of' as 'none', network: false }, 'without a sandbox'], // of a newer gateway
  ])('%o', (sandbox, words) => {
    show(sandbox);
    expect(screen.getByTestId('sandbox').textContent).toContain(words);
  });

  it('is not said of what runs no command here', () => {
    show(undefined);
    expect(screen.queryByTestId('sandbox')).toBeNull();
  });
});
