import type { JsonValue } from '@mailroom/kernel';
import type { Sample, SampleValues } from '../provider.ts';

/** A payment that is authorised, captured and refunded, and a webhook of a balance platform. Written for Mailroom. */
export const samples: Readonly<Record<string, Sample>> = {
  AUTHORISATION: notification('AUTHORISATION'),
  CAPTURE: notification('CAPTURE'),
  REFUND: notification('REFUND'),
  'balancePlatform.transaction.created': {
    eventType: 'balancePlatform.transaction.created',
    body: (values) => ({
      data: {
        id: `EVJN${values.tag}`,
        amount: { value: 7000, currency: 'EUR' },
        status: 'booked',
        balancePlatform: 'MailroomPlatform',
      },
      environment: 'test',
      timestamp: new Date(values.nowMs).toISOString(),
      type: 'balancePlatform.transaction.created',
    }),
  },
};

function notification(eventCode: string): Sample {
  return { eventType: eventCode, body: (values) => ({ live: 'false', notificationItems: [item(values, eventCode)] }) };
}

function item({ tag, nowMs }: SampleValues, eventCode: string): JsonValue {
  const isPayment = eventCode === 'AUTHORISATION';
  return {
    NotificationRequestItem: {
      amount: { currency: 'EUR', value: 10_100 },
      eventCode,
      eventDate: new Date(nowMs).toISOString(),
      merchantAccountCode: 'MailroomECOM',
      merchantReference: `order-${tag}`,
      ...(isPayment ? {} : { originalReference: `PSP${tag}AUTHORISATION` }),
      paymentMethod: 'visa',
      pspReference: `PSP${tag}${eventCode}`,
      success: 'true',
    },
  };
}
