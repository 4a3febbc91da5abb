import { canonicalTimeZone, invalidField } from '@deputize/protocol'
import { actorOf } from '../../access/caller.ts'
import { haveEqualEnds } from '../../domain/times/active-hours.ts'
import { channelOwnerOf } from '../channels/channel-entries.ts'
import { type NotificationSettings, settingsId, settingsOf } from '../channels/notification-settings.ts'
import { notificationsAnswer } from '../channels/notifications-answer.ts'
import type { Handler, OperationCall } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'

export const setNotifications: Handler<'setNotifications'> = async (call, context) => {
  const settings = givenSettings(call.body)
  const owner = channelOwnerOf(call.caller)
  const { log_index } = await settingsOf(owner, context.reader.registry)
  const entry = { entry_kind: 'notifications', id: settingsId(owner), ...owner } as const
  const expects = log_index ?? 'absent'
  const put = { document: JSON.stringify(settings), expects, by: actorOf(call.caller) } as const
  await submitCommand({ kind: 'register', ...entry, ...put }, call, context)
  return notificationsAnswer(owner, context, settings)
}

/**
 * Returns the settings of a request. Time zones get their canonical spelling. Refuses quiet hours that begin and end at
 * the same time.
 */
function givenSettings({
  time_zone,
  quiet_hours,
}: OperationCall<'setNotifications'>['body']): NotificationSettings {
  if (quiet_hours !== undefined && haveEqualEnds(quiet_hours))
    throw invalidField('/quiet_hours/to', 'must differ from `from`. For the whole day, send 00:00 to 24:00')
  return {
    ...(time_zone !== undefined && { time_zone: canonicalTimeZone(time_zone) ?? time_zone }),
    ...(quiet_hours !== undefined && {
      quiet_hours: {
        ...quiet_hours,
        time_zone: canonicalTimeZone(quiet_hours.time_zone) ?? quiet_hours.time_zone,
      },
    }),
  }
}
