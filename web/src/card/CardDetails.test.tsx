import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { golden } from '../test/golden';
import { page, storeOf } from '../test/page';
import type { ApprovalRequest } from '../wire/wire';
import { CardDetails } from './CardDetails';

const asked = golden('approvalRequest', 'approvalRequest').data;

function show(sandbox: ApprovalRequest['sandbox']) {
  const request: ApprovalRequest = { ...asked };
  if (sandbox) request.sandbox = sandbox;
  else delete request.sandbox;
  page(storeOf(), <CardDetails request={request} />);
}

describe('how a command would run', () => {
  it.each<[ApprovalRequest['sandbox'], string]>([
    [{ kind: 'none', network: true }, 'None. The call has full access'],
    [{ kind: 'bubblewrap', network: false }, 'it can’t use the network'],
    [
      { kind: 'bubblewrap', network: true, write: ['/srv'] },
      'it can use the network; it can also write in /srv',
    ],
    [{ kind: 'unheard-of' as 'none', network: false }, 'None. The call has full access'], // from a newer gateway
  ])('%o', (sandbox, words) => {
    show(sandbox);
    expect(screen.getByTestId('sandbox').textContent).toContain(words);
  });

  it('is not said of what runs no command here', () => {
    show(undefined);
    expect(screen.queryByTestId('sandbox')).toBeNull();
  });
});
