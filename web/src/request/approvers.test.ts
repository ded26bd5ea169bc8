import { describe, expect, it } from 'vitest';
import { mayApprove } from './approvers';
import type { ApprovalRequest, Approvers, Role } from '../wire/wire';

const request = (approvers: Approvers[], sentBy?: string[], origin?: ApprovalRequest['origin']) =>
  ({ approvers, sentBy, origin }) as ApprovalRequest;
const who = (subject: string, ...roles: Role[]) => ({ subject, roles });

describe('who may approve', () => {
  it.each<[string, ApprovalRequest, boolean, boolean]>([
    // ada, an approver, and root, an admin
    ['nothing is demanded', request([]), true, true],
    ['a person', request([{ subjects: ['ada'] }]), true, false],
    ['a role', request([{ roles: ['admin'] }]), false, true],
    ['a person or a role', request([{ subjects: ['ada'], roles: ['admin'] }]), true, true],
    ['not who asked', request([{ notSender: true }], ['ada']), false, true],
    ['not who asked, and nobody knows who did', request([{ notSender: true }]), false, false],
    [
      'not the program that asked',
      request([{ notSender: true }], undefined, { kind: 'program', subject: 'root' }),
      true,
      false,
    ],
    ['two rules', request([{ roles: ['admin'] }, { notSender: true }], ['root']), false, false],
  ])('%s', (_, asked, ada, root) => {
    expect(mayApprove(who('ada', 'approver'), asked)).toBe(ada);
    expect(mayApprove(who('root', 'admin'), asked)).toBe(root);
  });
});
