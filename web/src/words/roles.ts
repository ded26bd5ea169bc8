import type { Role } from '../wire/wire';
import { listed } from './plural';

const names: Record<Role, string> = {
  viewer: 'Viewer',
  approver: 'Approver',
  operator: 'Operator',
  admin: 'Admin',
  agent: 'Agent',
};

/** An unknown role keeps its own name. */
export const roleName = (role: string) => names[role as Role] ?? role;

export const roleNames = (roles: readonly string[]) => listed(roles.map(roleName));
