import { listed } from './plural';

export const approvers = {
  title: 'Can be approved by',
  anyone: 'anyone who can answer',
  who: (subjects: string[], roleNames: string[]) =>
    [...subjects, ...roleNames.map((r) => `anyone with the role ${r}`)].join(' or '),
  notSender: 'but not by the person who asked for it',
  sentBy: (names: string[]) => `Requested by ${listed(names)}.`,
  unknownSender: 'Nobody can approve this, because it isn’t known who asked for it.',
  not: 'You can deny this, but not approve it.',
};
