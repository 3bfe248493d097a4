"""The same passage in several languages, so that the cost of equal content can be compared."""

ENGLISH = """
The lighthouse of Tanabe stands on a cliff 42 metres above the sea and was built in 1887 by a French engineer.
Its lamp burned rapeseed oil at first, and since 1931 it has been electric; the light is visible for 35 kilometres.
Three families of keepers lived next to the tower until the station was automated in March 1989.
Today the former house of the keepers is a small museum, which about 12,000 people visit every year.
The museum does not open in January and February, because the road is often blocked by snow.
Visitors may climb the 128 steps to the lantern, but children under six are not allowed on the gallery.
Tickets cost 4 euros for adults and 2 euros for pupils, and groups of more than ten people pay less.
The town plans to restore the old fog horn by 2028 and has received a donation of 300,000 euros for the work.
"""

CHINESE = """
田边灯塔矗立在高出海面42米的悬崖上，由一位法国工程师于1887年建造。
它的灯最初燃烧菜籽油，从1931年起改用电力，灯光在35公里外都能看见。
直到1989年3月灯塔实现自动化，一直有三个守塔人家庭住在塔旁。
如今守塔人的旧居是一座小型博物馆，每年约有一万二千人参观。
博物馆一月和二月不开放，因为道路经常被积雪封堵。
游客可以登上128级台阶到达灯室，但六岁以下的儿童不得进入回廊。
成人票价4欧元，学生票价2欧元，十人以上的团体可享受优惠。
该镇计划在2028年之前修复旧的雾号，并已为此收到30万欧元的捐款。
"""

JAPANESE = """
田辺灯台は海面から42メートルの崖の上に立ち、1887年にフランス人の技師によって建てられた。
灯りは最初は菜種油を燃やしていたが、1931年からは電気になり、光は35キロメートル先まで見える。
1989年3月に自動化されるまで、三つの灯台守の家族が塔の隣に住んでいた。
現在、灯台守の旧宅は小さな博物館になっており、毎年およそ1万2千人が訪れる。
道路がしばしば雪で塞がれるため、博物館は1月と2月には開館しない。
訪問者は128段の階段を上って灯室まで行けるが、6歳未満の子どもは回廊に出ることができない。
入場料は大人が4ユーロ、生徒が2ユーロで、10人を超える団体は割引になる。
町は2028年までに古い霧笛を修復する計画で、そのために30万ユーロの寄付を受けた。
"""

THAI = """
ประภาคารทานาเบะตั้งอยู่บนหน้าผาสูง 42 เมตรเหนือทะเล และสร้างขึ้นในปี 1887 โดยวิศวกรชาวฝรั่งเศส
ตอนแรกตะเกียงใช้น้ำมันเมล็ดเรพ และใช้ไฟฟ้าตั้งแต่ปี 1931 แสงไฟมองเห็นได้ไกล 35 กิโลเมตร
ครอบครัวผู้ดูแลสามครอบครัวอาศัยอยู่ข้างหอคอยจนกระทั่งสถานีเปลี่ยนเป็นระบบอัตโนมัติในเดือนมีนาคม 1989
ปัจจุบันบ้านเดิมของผู้ดูแลเป็นพิพิธภัณฑ์ขนาดเล็ก ซึ่งมีผู้เข้าชมประมาณ 12,000 คนทุกปี
พิพิธภัณฑ์ไม่เปิดในเดือนมกราคมและกุมภาพันธ์ เพราะถนนมักถูกหิมะปิดกั้น
ผู้เข้าชมสามารถขึ้นบันได 128 ขั้นไปยังห้องโคมไฟได้ แต่เด็กอายุต่ำกว่าหกปีไม่ได้รับอนุญาตให้ขึ้นระเบียง
ค่าเข้าชมผู้ใหญ่ 4 ยูโร นักเรียน 2 ยูโร และกลุ่มที่มีมากกว่าสิบคนจ่ายน้อยกว่า
เมืองวางแผนที่จะบูรณะแตรหมอกเก่าภายในปี 2028 และได้รับเงินบริจาค 300,000 ยูโรสำหรับงานนี้
"""

TEXTS = {"English": ENGLISH, "Chinese": CHINESE, "Japanese": JAPANESE, "Thai": THAI}


def excerpts(text: str, count: int) -> list[str]:
    """Return excerpts with all sentences of a text, each in another order: it begins with another sentence."""
    sentences = text.strip().splitlines()
    turns = [at % len(sentences) for at in range(count)]
    return [f"{at}. " + "\n".join(sentences[turn:] + sentences[:turn]) for at, turn in enumerate(turns, 1)]
