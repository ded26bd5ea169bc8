export const approvers = {
  title: 'May be approved by',
  anyone: 'anyone who may answer',
  who: (subjects: string[], roleNames: string[]) =>
    [...subjects, ...roleNames.map((r) => `whoever has the role ${r}`)].join(' or '),
  notSender: 'but not by who asked for it',
  sentBy: (names: string[]) => `Asked for by ${names.join(', ')}.`,
  unknownSender: 'It is not known who asked for it, so nobody may approve it.',
  not: 'You may deny this, not approve it.',
};
